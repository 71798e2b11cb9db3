import { routes } from "../service/contract/routes.ts";

export type EndpointRoute = (typeof routes)[keyof typeof routes];
export type Matched = { readonly route: EndpointRoute; readonly params: Readonly<Record<string, string>> };

export const decodeSegment = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
};

/** Finds the endpoint of a request by the contract's routes; `allow` if the path is known and the method is another. */
export const createRouter = (): ((method: string, pathname: string) => Matched | { readonly allow: string } | undefined) => {
  const patterns = Object.values(routes).map((route) => ({ route, pattern: new RegExp(`^${route.path.replace(/:(\w+)/g, "(?<$1>[^/]+)")}$`) }));
  return (method, pathname) => {
    const found = patterns.flatMap(({ route, pattern }): readonly Matched[] => {
      const groups = pattern.exec(pathname);
      if (groups === null) return [];
      return [{ route, params: Object.fromEntries(Object.entries(groups.groups ?? {}).map(([name, text]) => [name, decodeSegment(text)])) }];
    });
    if (found.length === 0) return undefined;
    const wanted = method === "HEAD" ? "GET" : method;
    return found.find(({ route }) => route.method === wanted) ?? { allow: found.map(({ route }) => route.method).join(", ") };
  };
};

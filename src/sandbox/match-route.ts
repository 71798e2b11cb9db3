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
  const fixed = new Map<string, EndpointRoute[]>();
  const patterns: { readonly route: EndpointRoute; readonly pattern: RegExp }[] = [];
  for (const route of Object.values(routes)) {
    if (route.path.includes(":")) patterns.push({ route, pattern: new RegExp(`^${route.path.replace(/:(\w+)/g, "(?<$1>[^/]+)")}$`) });
    else fixed.set(route.path, [...(fixed.get(route.path) ?? []), route]);
  }
  const candidates = (pathname: string): readonly Matched[] => {
    const known = fixed.get(pathname);
    if (known !== undefined) return known.map((route) => ({ route, params: {} }));
    return patterns.flatMap(({ route, pattern }) => {
      const found = pattern.exec(pathname);
      if (found === null) return [];
      return [{ route, params: Object.fromEntries(Object.entries(found.groups ?? {}).map(([name, text]) => [name, decodeSegment(text)])) }];
    });
  };
  return (method, pathname) => {
    const found = candidates(pathname);
    if (found.length === 0) return undefined;
    const wanted = method === "HEAD" ? "GET" : method;
    return found.find(({ route }) => route.method === wanted) ?? { allow: found.map(({ route }) => route.method).join(", ") };
  };
};

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";
import { describe, expect, test } from "vitest";

const root = fileURLToPath(new URL("../..", import.meta.url));
const linesMax = { file: 300, function: 70 };
const parametersMax = 4;
const castsMax = 20;

type Parsed = { readonly file: string; readonly tree: ts.SourceFile };
const parsedUnder = (folder: string): readonly Parsed[] =>
  readdirSync(join(root, folder), { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(".ts"))
    .map((entry) => {
      const path = join(entry.parentPath, entry.name);
      return { file: relative(root, path).replaceAll("\\", "/"), tree: ts.createSourceFile(path, readFileSync(path, "utf8"), ts.ScriptTarget.Latest, true) };
    });

const nodesOf = (node: ts.Node): readonly ts.Node[] => {
  const nodes: ts.Node[] = [node];
  for (const each of nodes) ts.forEachChild(each, (child) => void nodes.push(child));
  return nodes;
};
const lineOf = (tree: ts.SourceFile, position: number): number => tree.getLineAndCharacterOfPosition(position).line + 1;
const nameOf = (node: ts.SignatureDeclaration): string => {
  if (node.name !== undefined) return node.name.getText();
  const { parent } = node;
  return ts.isVariableDeclaration(parent) || ts.isPropertyAssignment(parent) ? parent.name.getText() : "anonymous";
};

type Size = { readonly what: string; readonly size: number; readonly most: number };
const sizesOf = ({ file, tree }: Parsed): readonly Size[] => {
  const lines = { what: `${file} lines`, size: lineOf(tree, tree.getEnd()) - 1, most: linesMax.file };
  const functions = nodesOf(tree)
    .filter(ts.isFunctionLike)
    .flatMap((node): readonly Size[] => {
      const name = `${file} ${nameOf(node)}`;
      const parameters = { what: `${name} parameters`, size: node.parameters.length, most: parametersMax };
      const height = lineOf(tree, node.getEnd()) - lineOf(tree, node.getStart()) + 1;
      return "body" in node && node.body !== undefined ? [parameters, { what: `${name} lines`, size: height, most: linesMax.function }] : [parameters];
    });
  return [lines, ...functions];
};

const commentsOf = (tree: ts.SourceFile): readonly string[] => {
  const comments = new Map<number, string>();
  for (const node of nodesOf(tree)) {
    for (const range of ts.getLeadingCommentRanges(tree.text, node.getFullStart()) ?? []) comments.set(range.pos, tree.text.slice(range.pos, range.end));
    for (const range of ts.getTrailingCommentRanges(tree.text, node.getEnd()) ?? []) comments.set(range.pos, tree.text.slice(range.pos, range.end));
  }
  return [...comments.values()];
};
/** A page is cited by its path, or by its name alone if it is in one of these folders. */
const citedFrom = ["", "docs", "test", "test/cases"];
const isThere = (page: string): boolean => citedFrom.some((folder) => existsSync(join(root, folder, page)));
const headingsOf = (page: string): readonly string[] =>
  [...readFileSync(join(root, "docs", page), "utf8").matchAll(/^#+ (.+)$/gm)].map(([, heading]) => heading ?? "");

const sources = parsedUnder("src").filter(({ file }) => !file.startsWith("src/sandbox/dashboard/assets"));
const commented = [...sources, ...parsedUnder("test")].map(({ file, tree }) => ({ file, comments: commentsOf(tree) }));

describe("sizes of src", () => {
  const oversized = sources.flatMap(sizesOf).filter(({ size, most }) => size > most);

  test(`files have ${linesMax.file} lines, functions ${linesMax.function} and ${parametersMax} parameters at most`, () => {
    expect(oversized.map(({ what, size, most }) => `${what}: ${size}, at most ${most}`)).toEqual([]);
  });

  test(`${castsMax} casts at most, "as const" aside`, () => {
    const casts = sources.flatMap(({ file, tree }) =>
      nodesOf(tree)
        .filter((node) => ts.isTypeAssertionExpression(node) || (ts.isAsExpression(node) && node.type.getText() !== "const"))
        .map((node) => `${file}:${lineOf(tree, node.getStart())}`),
    );
    expect(casts.length, casts.join("\n")).toBeLessThanOrEqual(castsMax);
  });
});

describe("comments", () => {
  test("cite only pages that are in the repository", () => {
    const absent = commented.flatMap(({ file, comments }) =>
      comments.flatMap((text) => [...text.matchAll(/[\w./-]+\.(?:md|tsv)\b/g)].filter(([page]) => !isThere(page)).map(([page]) => `${file} cites ${page}`)),
    );
    expect(absent).toEqual([]);
  });

  test("cite only headings that their page has", () => {
    const absent = commented.flatMap(({ file, comments }) =>
      comments.flatMap((text) =>
        [...text.replaceAll(/\s*\n\s*(?:\*|\/\/)?\s*/g, " ").matchAll(/\b(rules|sandbox)\.md, ([A-Z][A-Za-z ]+)/g)]
          .filter(([, page, cited]) => !headingsOf(`${page}.md`).some((heading) => cited?.startsWith(heading)))
          .map(([cited]) => `${file} cites ${cited}`),
      ),
    );
    expect(absent).toEqual([]);
  });
});

import ts from "typescript";

const comparisons = new Map([
  [ts.SyntaxKind.LessThanToken, "<="],
  [ts.SyntaxKind.LessThanEqualsToken, "<"],
  [ts.SyntaxKind.GreaterThanToken, ">="],
  [ts.SyntaxKind.GreaterThanEqualsToken, ">"],
  [ts.SyntaxKind.EqualsEqualsEqualsToken, "!=="],
  [ts.SyntaxKind.ExclamationEqualsEqualsToken, "==="],
  [ts.SyntaxKind.AmpersandAmpersandToken, "||"],
  [ts.SyntaxKind.BarBarToken, "&&"],
  [ts.SyntaxKind.PlusToken, "-"],
  [ts.SyntaxKind.MinusToken, "+"],
]);

/** Every mutant of a file: the whole changed text, the line and what was changed. Texts for people are left alone. */
export const mutantsOf = (source) => {
  const file = ts.createSourceFile("file.ts", source, ts.ScriptTarget.Latest, true);
  const mutants = [];
  const replace = (node, text, what) => {
    const start = node.getStart(file);
    const line = file.getLineAndCharacterOfPosition(start).line + 1;
    mutants.push({
      line,
      what: `${what}: ${source.slice(start, node.end).split("\n")[0].slice(0, 80)}`,
      code: source.slice(0, start) + text + source.slice(node.end),
    });
  };
  const visit = (node) => {
    if (ts.isTypeNode(node) || ts.isImportDeclaration(node) || ts.isTypeAliasDeclaration(node) || ts.isTemplateExpression(node)) return;
    if (ts.isIfStatement(node)) {
      const text = node.expression.getText(file);
      replace(node.expression, `!(${text})`, "negated");
    }
    if (ts.isConditionalExpression(node)) replace(node.condition, `!(${node.condition.getText(file)})`, "negated");
    if (ts.isBinaryExpression(node)) {
      const other = comparisons.get(node.operatorToken.kind);
      if (other !== undefined && !(node.operatorToken.kind === ts.SyntaxKind.PlusToken && (isText(node.left) || isText(node.right))))
        replace(node.operatorToken, other, "operator");
    }
    if (node.kind === ts.SyntaxKind.TrueKeyword) replace(node, "false", "flipped");
    if (node.kind === ts.SyntaxKind.FalseKeyword) replace(node, "true", "flipped");
    if (ts.isNumericLiteral(node)) replace(node, `(${node.getText(file)} + 1)`, "number");
    if (ts.isPrefixUnaryExpression(node) && node.operator === ts.SyntaxKind.ExclamationToken) replace(node, node.operand.getText(file), "not removed");
    if (ts.isExpressionStatement(node) || ts.isThrowStatement(node)) replace(node, ";", "removed");
    if (ts.isReturnStatement(node) && node.expression !== undefined && !isPlain(node.expression.getText(file)))
      replace(node, "return undefined;", "returns undefined");
    ts.forEachChild(node, visit);
  };
  visit(file);
  return mutants;
};

const isText = (node) => ts.isStringLiteral(node) || ts.isTemplateExpression(node) || ts.isNoSubstitutionTemplateLiteral(node);
/** Flipping `true` and `false` is a mutant of its own, and `undefined` would stay the same. */
const isPlain = (text) => text === "undefined" || text === "false" || text === "true";

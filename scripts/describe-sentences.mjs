/** The log lines and the error sentences of the server, found in its source, for golden files. */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

const src = path.join(path.dirname(fileURLToPath(import.meta.url)), '..', 'src');

/** Levels of lines, in the order of the file. `varies`: the level follows from what happened. */
const levels = ['error', 'warn', 'varies', 'info', 'debug'];

/** Files that hand on the lines of others, whose messages they do not know. */
const forwarders = new Set(['app/outages.ts', 'app/serve.ts', 'cli/commands/serve-command.ts']);

/** Functions that make an error of a sentence: its code, and the argument that is the sentence. */
const wordings = {
  invalidRequest: ['INVALID_REQUEST', 0],
  invalidField: ['INVALID_REQUEST', 1],
  badParam: ['INVALID_REQUEST', 1],
  badField: ['INVALID_REQUEST', 1],
  sessionBusy: ['TURN_IN_PROGRESS', 0],
  memoryFull: ['MEMORY_FULL', 0],
};

/**
 * All log lines below their levels. A log line is a call with the shape of `Logger`'s methods: fields, and a message. Every
 * message stands in its call, so that a search finds it.
 */
export function describeLogLines() {
  const lines = collect(logLine);
  const place = ({ level }) => levels.indexOf(level);
  lines.sort((a, b) => place(a) - place(b) || compare(a.text, b.text));
  const sections = levels.map((level) => {
    const rows = lines.filter((line) => line.level === level);
    return `${level}\n${list(rows.map(({ text }) => `  ${text}`))}\n`;
  });
  return sections.join('\n');
}

/** All error sentences below their codes, for those that stand in the call which makes the error. */
export function describeErrorSentences() {
  const sentences = collect(errorSentence);
  sentences.sort((a, b) => compare(a.code, b.code) || compare(a.file, b.file));
  const codes = [...new Set(sentences.map(({ code }) => code))];
  const sections = codes.map((code) => {
    const rows = sentences.filter((sentence) => sentence.code === code);
    return `${code}\n${list(rows.map(({ text, file }) => `  ${file}: ${text}`))}\n`;
  });
  return sections.join('\n');
}

/** @returns `find`'s results for all nodes of the source, in its order, each with its file. */
function collect(find) {
  const names = readdirSync(src, { recursive: true }).map(String).toSorted();
  return names
    .filter((name) => /(?<!\.test)\.ts$/.test(name) && !name.startsWith('client/'))
    .flatMap((name) => {
      const text = readFileSync(path.join(src, name), 'utf8');
      const source = ts.createSourceFile(name, text, ts.ScriptTarget.Latest, true);
      const found = [];
      const visit = (node) => {
        for (const one of find(node, name)) found.push({ ...one, file: name });
        ts.forEachChild(node, visit);
      };
      visit(source);
      return found;
    });
}

function logLine(node, file) {
  if (ts.isPropertyAssignment(node) && node.name.getText() === 'lastLine') {
    return texts(node.initializer).map((text) => ({ level: 'error', text }));
  }
  if (!ts.isCallExpression(node)) return [];
  const { expression, arguments: args } = node;
  const [first, message] = args;
  if (message === undefined) return [];
  if (expression.getText() === 'complain') {
    return texts(message).map((text) => ({ level: first.text, text }));
  }
  const level = levelOf(expression);
  if (level === undefined || args.length !== 2) return [];
  const found = texts(message);
  if (found.length === 0 && !forwarders.has(file)) {
    throw new Error(`${file}: the message of a log line must stand in its call: ${node.getText()}`);
  }
  // `Outages` writes what a service's absence causes at debug: one line says for all that it is away.
  const isOutage = ts.isObjectLiteralExpression(first) && first.properties.some(isServiceName);
  return found.map((text) => ({ level: isOutage ? 'debug' : level, text }));
}

function isServiceName(property) {
  return (
    ts.isPropertyAssignment(property) &&
    property.name.getText() === 'service' &&
    ts.isStringLiteral(property.initializer)
  );
}

/** The level of a call of a logger; undefined for other calls. */
function levelOf(expression) {
  const isLogger = /(^|[.#])(log|logger)(\(\))?$|requestLogger\(|callerLogger\(|turnLogger\(/;
  if (!('expression' in expression) || !isLogger.test(expression.expression.getText())) {
    return undefined;
  }
  if (ts.isElementAccessExpression(expression)) return 'varies';
  const { name } = expression;
  return ['error', 'warn', 'info', 'debug'].find((level) => level === name?.text);
}

function errorSentence(node) {
  if (!(ts.isNewExpression(node) || ts.isCallExpression(node))) return [];
  const { expression, arguments: args = [] } = node;
  const maker = expression.getText();
  const [first, second] = args;
  if (first === undefined) return [];
  const wording = wordings[maker];
  if (wording !== undefined) {
    const [code, index] = wording;
    return sentences(args[index]).map((text) => ({ code, text }));
  }
  if (maker === 'providerError') {
    return sentences(messageOf(first)).map((text) => ({ code: 'SDK_FAILURE', text }));
  }
  if (maker !== 'TypedError') return [];
  return sentences(messageOf(second)).flatMap((text) =>
    texts(first).map((code) => ({ code, text })),
  );
}

function messageOf(init) {
  if (init === undefined || !ts.isObjectLiteralExpression(init)) return undefined;
  const found = init.properties.find((one) => one.name?.getText() === 'message');
  if (found === undefined) return undefined;
  return ts.isPropertyAssignment(found) ? found.initializer : found.name;
}

/** Sentences of an expression, or of the constant of its function that it names. */
function sentences(node) {
  if (node === undefined) return [];
  if (!ts.isIdentifier(node)) return texts(node);
  for (let scope = node.parent; scope !== undefined; scope = scope.parent) {
    if (!ts.isBlock(scope)) continue;
    const declared = scope.statements
      .filter(ts.isVariableStatement)
      .flatMap(({ declarationList }) => [...declarationList.declarations])
      .find(({ name }) => name.getText() === node.text);
    if (declared?.initializer !== undefined) return texts(declared.initializer);
  }
  return [];
}

/** The texts that an expression may have: a literal, a template, a choice or a sum of these. */
function texts(node) {
  if (ts.isStringLiteralLike(node)) return [node.text];
  if (ts.isTemplateExpression(node)) {
    const spans = node.templateSpans.map(
      ({ expression, literal }) => `{${nameOf(expression)}}${literal.text}`,
    );
    // A value that is put together in place is one value.
    return [node.head.text + spans.join('').replaceAll(/(\{\w+\})\1+/g, '$1')];
  }
  if (ts.isConditionalExpression(node)) return [node.whenTrue, node.whenFalse].flatMap(texts);
  if (ts.isParenthesizedExpression(node)) return texts(node.expression);
  if (ts.isBinaryExpression(node) && node.operatorToken.kind === ts.SyntaxKind.PlusToken) {
    const right = texts(node.right);
    return texts(node.left).flatMap((text) => right.map((rest) => text + rest));
  }
  return [];
}

/** The name of an expression that has none. */
const UNNAMED = '…';

function isName(name) {
  return name !== undefined && name !== UNNAMED;
}

/** What a template inserts, in a word: the last name of the expression that has one. */
function nameOf(expression) {
  if (ts.isIdentifier(expression)) return expression.text;
  if (ts.isPropertyAccessExpression(expression)) return expression.name.text;
  if (ts.isCallExpression(expression)) {
    const { expression: called, arguments: args } = expression;
    const name = nameOf(
      ts.isPropertyAccessExpression(called) ? called.expression : (args[0] ?? called),
    );
    return name === UNNAMED ? nameOf(called) : name;
  }
  if (ts.isConditionalExpression(expression)) {
    const choices = [expression.whenTrue, expression.whenFalse];
    const isChoice = choices.every(ts.isStringLiteralLike);
    return isChoice
      ? choices.map(({ text }) => text || 'nothing').join('|')
      : choices.map(nameOf).find(isName);
  }
  if (ts.isBinaryExpression(expression)) return nameOf(expression.left);
  return UNNAMED;
}

function list(rows) {
  return [...new Set(rows.map((row) => row.replaceAll('\n', ' ')))].join('\n');
}

function compare(a, b) {
  return a < b ? -1 : Number(a > b);
}

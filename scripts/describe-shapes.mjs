/**
 * What the doc comments and types of the API's shapes and routes say, for its document, by Nest's Swagger plugin:
 * it reads `*.dto.ts` and `*.controller.ts`. A field's decorators say more of its type than the plugin sees, so that
 * of a field which has any the comment alone is taken.
 */
import path from 'node:path';
import { ReadonlyVisitor } from '@nestjs/swagger/plugin';
import ts from 'typescript';
import { options, root } from './declare/compiler.mjs';
import { sourceFiles } from './describe-routes.mjs';

const source = path.join(root, 'src');
const printer = ts.createPrinter({ removeComments: true });
const blank = ts.createSourceFile('blank.ts', '', ts.ScriptTarget.Latest);

/**
 * @returns {string} TypeScript: a module of `src/server`.
 * @throws {Error} for a class that is not exported, which the plugin would pass over, and for a field of several
 *   texts without a decorator, as the compiler keeps no order of them.
 */
export function describeShapes() {
  const files = [...sourceFiles('.dto.ts'), ...sourceFiles('.controller.ts')];
  const paths = files.map((file) => path.join(source, file));
  const program = ts.createProgram(paths, options);
  const visitor = new ReadonlyVisitor({
    pathToSource: source,
    introspectComments: true,
    classValidatorShim: false,
    // Makers of types take a field with a default for a field that is always there.
    skipDefaultValues: true,
    esmCompatible: true,
  });
  const decorated = new Set();
  for (const file of paths) {
    const parsed = program.getSourceFile(file);
    if (file.endsWith('.dto.ts')) for (const field of decoratedFields(parsed)) decorated.add(field);
    visitor.visit(program, parsed);
  }
  const { models, controllers } = visitor.collect();
  const written = [
    `  models: [\n${printFiles(models, (name, said) => printFields(name, said, decorated))}  ],`,
    `  controllers: [\n${printFiles(controllers, (_name, said) => printMethods(said))}  ],`,
  ].join('\n');
  const imports = new Set();
  // The plugin imports files where it names them; a bundle wants them at its head.
  const linked = written.replaceAll(/\bt\["\.\/(.*?)\.js"\]/g, (_all, file) => {
    const name = file.replaceAll(/\W/g, '_');
    imports.add(`import * as ${name} from '../${file}.js';`);
    return name;
  });
  return [
    '/** Descriptions and types of the shapes and routes of the API, from their doc comments. `npm run docs` writes this file. */',
    ...[...imports].toSorted((a, b) => a.localeCompare(b)),
    '',
    '/** The classes of one file, with a description of each member. */',
    'type Said = [Record<string, unknown>, Record<string, Record<string, object>>];',
    '',
    `export const apiShapes: Record<'models' | 'controllers', Said[]> = {\n${linked}\n};\n`,
  ].join('\n');
}

/** `Class.field` of those that have decorators. */
function decoratedFields(file) {
  return file.statements.filter(ts.isClassDeclaration).flatMap(({ name, modifiers, members }) => {
    const isExported = modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword);
    if (!isExported) throw new Error(`${file.fileName}: ${name.text} is not exported`);
    return members
      .filter((member) => ts.isPropertyDeclaration(member) && ts.getDecorators(member)?.length > 0)
      .map((member) => `${name.text}.${member.name.getText(file)}`);
  });
}

/** A line for each file. @param {(name: string, said: never) => string} printClass */
function printFiles(files, printClass) {
  const lines = files.map(([place, classes]) => {
    const [, file] = /"(.*)"/.exec(print(place));
    const all = Object.entries(classes).map(([name, said]) => `${name}: ${printClass(name, said)}`);
    return `    [t["${file}"], { ${all.join(', ')} }],\n`;
  });
  return lines.join('');
}

function printFields(type, { properties }, decorated) {
  const fields = properties.map(({ name: { text: name }, initializer }) => {
    const parts = initializer.properties.map(print);
    if (decorated.has(`${type}.${name}`)) {
      return `${name}: { ${parts.filter((part) => /^(description|examples?):/.test(part)).join(', ')} }`;
    }
    if (parts.some((part) => /^enum: .*,/.test(part))) {
      throw new Error(
        `${type}.${name} is one of several texts: list them by @ApiProperty({ enum })`,
      );
    }
    return `${name}: { ${parts.join(', ')} }`;
  });
  return `{ ${fields.join(', ')} }`;
}

/** What methods are said to do, and the shapes they answer: the plugin takes any other answer for an object. */
function printMethods(methods) {
  const printed = Object.entries(methods).flatMap(([name, { properties }]) => {
    const parts = properties.map(print).filter((part) => !/^type: (?!t\[.*\]\.\w+Dto$)/.test(part));
    return parts.length === 0 ? [] : [`${name}: { ${parts.join(', ')} }`];
  });
  return `{ ${printed.join(', ')} }`;
}

/** A comment of several lines is one. */
function print(node) {
  return printer.printNode(ts.EmitHint.Unspecified, node, blank).replaceAll(/\\n\s*/g, ' ');
}

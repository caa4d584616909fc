import ts from 'typescript';

/** @typedef {import('typescript').Type} Type @typedef {import('typescript').Symbol} Symbol */

/**
 * The exports of a module as declarations that need no other module. Named types keep their names;
 * types that are picked or mapped from others become their members.
 *
 * @param {string} file @param {import('typescript').CompilerOptions} options
 * @returns {string} @throws {Error} for a type that is no JSON.
 */
export function writeOutTypes(file, options) {
  const program = ts.createProgram([file], options);
  const checker = program.getTypeChecker();
  const source = program.getSourceFile(file);
  const module = source === undefined ? undefined : checker.getSymbolAtLocation(source);
  if (module === undefined) throw new Error(`There is no module ${file}`);
  const writer = new TypeWriter(checker);
  const names = checker.getExportsOfModule(module).map((symbol) => {
    const isAlias = (symbol.flags & ts.SymbolFlags.Alias) !== 0;
    const target = isAlias ? checker.getAliasedSymbol(symbol) : symbol;
    return writer.declare(symbol.name, checker.getDeclaredTypeOfSymbol(target), target);
  });
  return [
    '/** What the server answers. Written by scripts/client-types.mjs. */',
    ...writer.declarations.values(),
    `export type { ${names.join(', ')} };`,
    '',
  ].join('\n');
}

class TypeWriter {
  /** Declarations by name. @type {Map<string, string>} */
  declarations = new Map();
  /** @type {Map<Type, string>} */
  #names = new Map();

  /** @param {import('typescript').TypeChecker} checker */
  constructor(checker) {
    this.checker = checker;
  }

  /** @param {string} name @param {Type} type @param {Symbol} symbol @returns {string} its name here. */
  declare(name, type, symbol) {
    const known = this.#names.get(type);
    if (known !== undefined) return known;
    if (this.declarations.has(name)) throw new Error(`Two types are called ${name}: rename one`);
    this.#names.set(type, name);
    // The name is set before the members are written: the type may contain itself.
    this.declarations.set(name, '');
    this.declarations.set(
      name,
      `${this.#comment(symbol, '')}type ${name} = ${this.#spell(type, '')};`,
    );
    return name;
  }

  /** @param {Type} type @param {string} indent @returns {string} */
  #write(type, indent) {
    const known = this.#names.get(type);
    if (known !== undefined) return known;
    const named = nameOf(type);
    return named === undefined ? this.#spell(type, indent) : this.declare(named.name, type, named);
  }

  /** @param {Type} type @param {string} indent @returns {string} */
  #spell(type, indent) {
    const { checker } = this;
    if (
      (type.flags & (ts.TypeFlags.Object | ts.TypeFlags.Union | ts.TypeFlags.Intersection)) ===
      0
    ) {
      return checker.typeToString(type);
    }
    if (type.isUnion()) return this.#union(type.types, indent);
    if (checker.isArrayType(type)) {
      const [element] = checker.getTypeArguments(/** @type {never} */ (type));
      const readonly = type.symbol.name === 'ReadonlyArray' ? 'readonly ' : '';
      return `${readonly}(${element === undefined ? 'never' : this.#write(element, indent)})[]`;
    }
    return this.#object(type, indent);
  }

  /** @param {readonly Type[]} types @param {string} indent @returns {string} */
  #union(types, indent) {
    const members = types.map((type) => this.#write(type, indent));
    const isEither = members.includes('true') && members.includes('false');
    const written = isEither
      ? [...members.filter((member) => member !== 'true' && member !== 'false'), 'boolean']
      : members;
    return [...new Set(written)].join(' | ');
  }

  /** @param {Type} type @param {string} indent @returns {string} */
  #object(type, indent) {
    const { checker } = this;
    const isData = checker.getSignaturesOfType(type, ts.SignatureKind.Call).length === 0;
    /** @type {Symbol | undefined} an intersection has none. */
    const symbol = type.symbol;
    const isForeign = symbol?.declarations?.some(isOfLibrary) === true;
    const isMapped = symbol?.name.startsWith('__') ?? false;
    if (!isData || (isForeign && !isMapped && nameOf(type) === undefined)) {
      throw new Error(`${checker.typeToString(type)} has no JSON form`);
    }
    const inner = `${indent}  `;
    const members = checker
      .getPropertiesOfType(type)
      .map((property) => this.#property(property, inner));
    for (const { keyType, type: value } of checker.getIndexInfosOfType(type)) {
      members.push(
        `${inner}[key: ${checker.typeToString(keyType)}]: ${this.#write(value, inner)};`,
      );
    }
    return members.length === 0 ? 'object' : `{\n${members.join('\n')}\n${indent}}`;
  }

  /** @param {Symbol} property @param {string} indent */
  #property(property, indent) {
    const { checker } = this;
    const isOptional = (property.flags & ts.SymbolFlags.Optional) !== 0;
    const type = checker.getTypeOfSymbol(property);
    const written =
      isOptional && type.isUnion()
        ? this.#union(
            type.types.filter((member) => !this.#isAbsence(member)),
            indent,
          )
        : this.#write(type, indent);
    const name = /^[A-Za-z_$][\w$]*$/.test(property.name)
      ? property.name
      : JSON.stringify(property.name);
    return `${this.#comment(property, indent)}${indent}${name}${isOptional ? '?' : ''}: ${written};`;
  }

  /** The type of an optional field without the `undefined` that the compiler adds. @param {Type} type */
  #isAbsence(type) {
    return (type.flags & ts.TypeFlags.Undefined) !== 0 && type !== this.checker.getUndefinedType();
  }

  /** @param {Symbol} symbol @param {string} indent */
  #comment(symbol, indent) {
    const text = ts.displayPartsToString(symbol.getDocumentationComment(this.checker));
    return text === '' ? '' : `${indent}/** ${text.replaceAll('\n', ' ')} */\n`;
  }
}

/** The name of a declared type; undefined for a type made of others. @param {Type} type */
function nameOf(type) {
  const { aliasSymbol, aliasTypeArguments, symbol } = type;
  if (aliasSymbol !== undefined && aliasTypeArguments === undefined && isOurs(aliasSymbol)) {
    return aliasSymbol;
  }
  const isInterface = symbol !== undefined && (symbol.flags & ts.SymbolFlags.Interface) !== 0;
  return isInterface && isOurs(symbol) ? symbol : undefined;
}

/** @param {Symbol} symbol */
function isOurs(symbol) {
  return symbol.declarations?.some((declaration) => !isOfLibrary(declaration)) === true;
}

/** @param {import('typescript').Declaration} declaration */
function isOfLibrary(declaration) {
  return declaration.getSourceFile().fileName.includes('/node_modules/');
}

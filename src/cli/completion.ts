import type { CommandUnknownOpts, Option } from '@commander-js/extra-typings';

export type Shell = 'bash' | 'zsh' | 'fish';

/** A word that a shell offers. */
interface Offer {
  word: string;
  about: string;
}

/** The words that a shell offers after the name of a command and its parents. */
interface Context {
  /** `webhooks add`; empty for the program itself. */
  path: string;
  subcommands: Offer[];
  options: readonly Option[];
  /** The values of the first argument, where they are known. */
  values: readonly string[];
}

/**
 * The script that completes commands, options and the values that are known in a shell. It has all words in it: a
 * shell starts no process to complete one. Where a value is wanted that is not known, bash and zsh offer files.
 */
export function completionScript(shell: Shell, program: CommandUnknownOpts): string {
  const contexts = contextsOf(program, '');
  const name = program.name();
  if (shell === 'bash') return bashScript(name, contexts);
  return shell === 'zsh' ? zshScript(name, contexts) : fishScript(name, contexts);
}

function contextsOf(command: CommandUnknownOpts, path: string): Context[] {
  const help = command.createHelp();
  const subcommands = help.visibleCommands(command);
  const own = {
    path,
    subcommands: subcommands.map((one) => ({
      word: one.name(),
      about: help.subcommandDescription(one),
    })),
    options: help.visibleOptions(command),
    values: command.registeredArguments[0]?.argChoices ?? [],
  };
  const below = command.commands.flatMap((one) => contextsOf(one, `${path} ${one.name()}`.trim()));
  return [own, ...below];
}

function bashScript(name: string, contexts: readonly Context[]): string {
  const cases = contexts.map(
    ({ path, ...context }) => `    '${path}') words='${wordsOf(context).join(' ')}' ;;`,
  );
  const values = valueCases(contexts, {
    offer: (known) => `COMPREPLY=($(compgen -W '${known.join(' ')}' -- "$current"))`,
    otherwise: 'return',
  });
  return `_${name}() {
  local current=\${COMP_WORDS[COMP_CWORD]} command= word words=
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$command $word" in
      ${commandPattern(contexts)}) command="\${command:+$command }$word" ;;
    esac
  done
  case "$command \${COMP_WORDS[COMP_CWORD-1]}" in
${values}
  esac
  case "$command" in
${cases.join('\n')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _${name} ${name}
`;
}

function zshScript(name: string, contexts: readonly Context[]): string {
  const cases = contexts.map(({ path, subcommands, options, values }) => {
    const offers = [
      ...subcommands,
      ...values.map((word) => ({ word, about: '' })),
      ...options.map((option) => ({ word: option.long ?? '', about: option.description })),
    ];
    const lines = offers.map(({ word, about }) => `      ${quote(`${word}:${about}`)}`);
    return `    '${path}') offers=(\n${lines.join('\n')}\n    ) ;;`;
  });
  const values = valueCases(contexts, {
    offer: (known) => `compadd -- ${known.join(' ')}`,
    otherwise: '_files; return',
  });
  return `#compdef ${name}
_${name}() {
  local command= word
  local -a offers
  for word in \${words[2,CURRENT-1]}; do
    case "$command $word" in
      ${commandPattern(contexts)}) command="\${command:+$command }$word" ;;
    esac
  done
  case "$command \${words[CURRENT-1]}" in
${values}
  esac
  case "$command" in
${cases.join('\n')}
  esac
  _describe ${name} offers || _files
}
compdef _${name} ${name}
`;
}

function fishScript(name: string, contexts: readonly Context[]): string {
  const lines = contexts.flatMap(({ path, subcommands, options, values }) => {
    const parents = path === '' ? [] : path.split(' ');
    const seen = parents.map((word) => `__fish_seen_subcommand_from ${word}`);
    const others = subcommands.map(({ word }) => word).join(' ');
    const notYet = others === '' ? [] : [`not __fish_seen_subcommand_from ${others}`];
    const here = `complete -c ${name} -n ${quote([...seen, ...notYet].join('; and ') || 'true')}`;
    return [
      ...subcommands.map(({ word, about }) => `${here} -f -a ${word} -d ${quote(about)}`),
      ...values.map((word) => `${here} -f -a ${word}`),
      ...options.map((option) => {
        const known =
          option.argChoices === undefined ? '' : ` -f -a ${quote(option.argChoices.join(' '))}`;
        const value = option.required ? ` -r${known}` : '';
        return `${here} -l ${option.long?.slice(2)}${value} -d ${quote(option.description)}`;
      }),
    ];
  });
  return `${lines.join('\n')}\n`;
}

function wordsOf({ subcommands, options, values }: Omit<Context, 'path'>): string[] {
  return [
    ...subcommands.map(({ word }) => word),
    ...values,
    ...options.map(({ long }) => long ?? ''),
  ];
}

/** The pattern of a `case` for a command after its parents: `' turn'|'webhooks add'`. */
function commandPattern(contexts: readonly Context[]): string {
  return contexts
    .filter(({ path }) => path !== '')
    .map(({ path }) => (path.includes(' ') ? `'${path}'` : `' ${path}'`))
    .join('|');
}

/**
 * Lines of a `case` for the option before the word that is completed.
 *
 * @param offer what offers the values that are known; `otherwise` is done where none are.
 */
function valueCases(
  contexts: readonly Context[],
  { offer, otherwise }: { offer: (known: readonly string[]) => string; otherwise: string },
): string {
  const all = contexts.flatMap(({ path, options }) =>
    options
      .filter(({ required }) => required)
      .map(({ long, argChoices }) => ({ pattern: `'${path} ${long}'`, known: argChoices })),
  );
  const known = all.flatMap((one) =>
    one.known === undefined ? [] : [{ ...one, known: one.known }],
  );
  const others = all.filter((one) => one.known === undefined).map(({ pattern }) => pattern);
  return [
    ...known.map((one) => `    ${one.pattern}) ${offer(one.known)}; return ;;`),
    `    ${others.join('|')}) ${otherwise} ;;`,
  ].join('\n');
}

/** In single quotes, as all three shells take them. */
function quote(text: string): string {
  return `'${text.replaceAll("'", '’')}'`;
}

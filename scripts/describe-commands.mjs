/** The commands of `turnpike` and their subcommands, as its own help has them. */

/**
 * @param {typeof import('../src/cli/program.js').allCommands} allCommands
 * @returns {Promise<string>} a table of Markdown.
 */
export async function describeCommands(allCommands) {
  const ignored = () => undefined;
  const program = await allCommands({ environment: {}, out: ignored, err: ignored, exitCode: 0 });
  const rows = program.commands.map((command) => {
    const parts = command.commands.map((one) => code(`${one.name()} ${one.usage()}`)).join(', ');
    const description = command.description();
    // Some name their subcommands themselves.
    const about =
      parts === '' || description.endsWith(parts) ? description : `${description}: ${parts}`;
    return `| ${code(`${command.name()} ${parts === '' ? command.usage() : ''}`)} | ${about} |`;
  });
  return ['| command | does |', '| --- | --- |', ...rows].join('\n');
}

function code(call) {
  const text = call.replace('[options]', '').replaceAll(/\s+/g, ' ').trim();
  return `\`${text}\``;
}

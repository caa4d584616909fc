import { serveCommand } from './cli/commands/serve-command.js';

process.exitCode = await serveCommand(process.argv.slice(2), process.env);

import { serveCommand } from './cli/serve-command.js';

process.exitCode = await serveCommand([], process.env);

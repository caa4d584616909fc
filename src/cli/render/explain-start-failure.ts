import { MasterKeysRefusedError, NoApproversError } from '../../access/access-errors.js';
import { AgentsInvalidError } from '../../agents/check-agents.js';
import { ConfigError, findServiceLinks } from '../../config/config.js';
import { ExtensionError } from '../../tools/extensions/extension-shapes.js';
import { FileInvalidError } from '../../platform/parsing/load-file.js';
import { errorCode } from '../../platform/error-code.js';
import { DataFolderBusyError, DataFolderUnusableError } from '../../storage/folder/data-folder.js';
import { SchemaError } from '../../storage/migrate-database.js';
import { UnreachableError } from '../../storage/database-errors.js';
import { UsageError } from '../command.js';

type Environment = Readonly<Record<string, string | undefined>>;

/** A message for the user: why the server could not start, and what to do. */
export function explainStartFailure(error: unknown, environment: Environment): string {
  const explained = [
    AgentsInvalidError,
    ConfigError,
    DataFolderBusyError,
    DataFolderUnusableError,
    ExtensionError,
    FileInvalidError,
    MasterKeysRefusedError,
    NoApproversError,
    SchemaError,
    UnreachableError,
    UsageError,
  ];
  if (explained.some((type) => error instanceof type)) return (error as Error).message;
  const notListening = explainListenFailure(errorCode(error), environment);
  if (notListening !== undefined) return notListening;
  return `Turnpike could not start: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`;
}

function explainListenFailure(
  code: string | undefined,
  environment: Environment,
): string | undefined {
  const port = portOf(environment);
  if (code === 'EADDRINUSE') {
    return `Port ${port} is in use. Stop what uses it, or choose another one with --port or TURNPIKE_PORT (0 picks a free one).`;
  }
  if (code === 'EADDRNOTAVAIL') {
    return `TURNPIKE_HOST is "${environment['TURNPIKE_HOST']}", which is no address of this machine. Use 127.0.0.1, 0.0.0.0 for all of its addresses, or one of them.`;
  }
  if (code === 'EACCES') {
    return `Port ${port} needs rights that this process does not have. Choose one from 1024 on with --port or TURNPIKE_PORT.`;
  }
  return undefined;
}

function portOf(environment: Environment): number | string {
  return findServiceLinks(environment).includes('TURNPIKE_PORT')
    ? 4400
    : (environment['TURNPIKE_PORT'] ?? 4400);
}

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, it } from '@jest/globals';
import { cliProgram } from '../support/processes/built-programs.js';
import { newDataFolder } from '../support/database/database-folder.js';
import { newFolder } from '../support/suite.js';

describe('a server that npm started', () => {
  it('stops in order when npm ends, whose shell hands on no signal', async () => {
    const { PATH = '', HOME = '' } = process.env;
    const [node, ...program] = cliProgram;
    const command = [node, ...program, 'serve'].map((part) => `'${part}'`).join(' ');
    // More than one command: the shell stays the parent, as that of npm does.
    const shell = spawn('sh', ['-c', `${command}; true`], {
      cwd: newFolder(),
      env: {
        PATH,
        HOME,
        TURNPIKE_PORT: '0',
        TURNPIKE_DATA_DIR: await newDataFolder(),
        npm_lifecycle_event: 'start',
      },
    });
    let said = '';
    const told = new Promise<void>((resolve) => {
      for (const stream of [shell.stdout, shell.stderr]) {
        stream.setEncoding('utf8').on('data', (text: string) => {
          said += text;
          if (said.includes(' from now on')) resolve();
        });
      }
    });
    // The pipes end with the server, not with the shell.
    const ended = once(shell, 'close');
    await told;
    shell.kill('SIGKILL');
    await ended;
    expect(said).toContain('Turnpike has stopped');
  });
});

import { Sandbox, type SandboxOptions, type ShellNeeds } from './sandbox/sandbox.js';
import { systemClock } from '../platform/clock.js';
import { ShellOutputs } from './sandbox/shell-outputs.js';
import {
  bashArguments,
  bashEnvironment,
  bashFile,
  type ShellProgram,
} from './sandbox/shell-program.js';

/** The server's way to run commands, decided at its start. */
export type Shells =
  | (OpenShells & { kind: 'sandboxed'; network: boolean; weaknesses: readonly string[] })
  | (OpenShells & { kind: 'unsandboxed'; reason: string })
  | {
      kind: 'off';
      /** Why, in a few words. */
      reason: string;
      /** Why, and what to do about it; for the model and its user. */
      explanation: string;
    };

interface OpenShells {
  /** Bytes of a command's output that are kept. */
  outputBytes: number;
  /** The program of a shell in a folder. @throws ToolFailure when none can run there. */
  program(folder: string, needs: ShellNeeds): Promise<ShellProgram>;
}

export interface ShellsOptions extends SandboxOptions {
  /** Whether commands run without a sandbox where no sandbox works. */
  allowUnsandboxed: boolean;
  /** Characters of a tool's output at most. */
  outputLimit: number;
}

/** Characters for the notes on cut output and on the exit code. */
const SPARE = 500;

/** Decides how commands run here: in a sandbox if one works, else as the operator allows. */
export async function openShells(options: ShellsOptions): Promise<Shells> {
  const outputBytes = Math.max(options.outputLimit - SPARE, SPARE);
  const found = await Sandbox.find(options);
  if (found instanceof Sandbox) {
    return {
      kind: 'sandboxed',
      network: options.network,
      weaknesses: found.weaknesses,
      outputBytes,
      program: (folder, needs) => found.program(folder, needs),
    };
  }
  return options.allowUnsandboxed
    ? unsandboxedShells(found.reason, outputBytes)
    : shellsOff(found.reason);
}

/** Shells with all rights of the server's user. */
export function unsandboxedShells(reason: string, outputBytes: number): Shells {
  return {
    kind: 'unsandboxed',
    reason,
    outputBytes,
    program: async (folder, { env }) => ({
      file: bashFile,
      args: bashArguments,
      cwd: folder,
      env: { ...env, ...bashEnvironment },
      setUp: [],
      outputs: await ShellOutputs.make(systemClock),
    }),
  };
}

export function shellsOff(reason: string): Shells {
  const advice =
    'Install bubblewrap 0.8 or later where user namespaces are allowed, or set TURNPIKE_ALLOW_UNSANDBOXED_BASH=true to run commands without a sandbox.';
  return {
    kind: 'off',
    reason,
    explanation: `bash is off on this server: ${reason}. ${advice}`,
  };
}

/** How commands run, in a few words. */
export function describeShells(shells: Shells): string {
  switch (shells.kind) {
    case 'sandboxed':
      return `in a sandbox, ${shells.network ? 'with' : 'without'} network`;
    case 'unsandboxed':
      return `WITHOUT a sandbox (${shells.reason})`;
    case 'off':
      return `off (${shells.reason}; see TURNPIKE_ALLOW_UNSANDBOXED_BASH)`;
  }
}

/** Injects how this process runs commands: its `Shells`. */
export const SHELLS = Symbol('Shells');

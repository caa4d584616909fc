import { existsSync, readFileSync } from 'node:fs';
import { SourceMap, type SourceMapPayload } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';

const root = fileURLToPath(new URL('../../../', import.meta.url));

const dist = new URL('../../../dist/', import.meta.url).href;

const coverageShape = z.object({
  result: z.array(
    z.object({
      url: z.string(),
      functions: z.array(
        z.object({
          ranges: z.array(z.object({ startOffset: z.number(), count: z.number() })),
        }),
      ),
    }),
  ),
});

/** Counts what runs in a process of the built server, over its inspector. */
export interface Coverage {
  /** The files of `src` of which a function has run since the last call, sorted. Code that runs at the import is not counted. */
  take(): Promise<string[]>;
  close(): void;
}

/**
 * @param stderr of a process that was started with `--inspect=127.0.0.1:0`.
 */
export async function coverProcess(stderr: string): Promise<Coverage> {
  const url = /ws:\/\/\S+/.exec(stderr)?.[0];
  if (url === undefined) throw new Error(`No inspector listens: ${stderr}`);
  const ask = await openInspector(url);
  await ask('Profiler.enable');
  await ask('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  const bundles = new Map<string, Bundle>();
  return {
    take: async () => {
      const { result } = coverageShape.parse(await ask('Profiler.takePreciseCoverage'));
      const files = result
        // A file of other people's code alone has no map.
        .filter(({ url: script }) => script.startsWith(dist) && hasMap(script))
        .flatMap(({ url: script, functions }) => {
          const bundle = bundles.get(script) ?? openBundle(fileURLToPath(script));
          bundles.set(script, bundle);
          return functions.flatMap(({ ranges: [whole] }) =>
            // The first range of a script is the script itself.
            whole === undefined || whole.count === 0 || whole.startOffset === 0
              ? []
              : (bundle.sourceAt(whole.startOffset) ?? []),
          );
        });
      return [...new Set(files)].filter((file) => file.startsWith('src/')).toSorted();
    },
    close: () => ask.close(),
  };
}

interface Inspector {
  (method: string, params?: object): Promise<unknown>;
  close(): void;
}

async function openInspector(url: string): Promise<Inspector> {
  const socket = new WebSocket(url);
  await new Promise((resolve, reject) => {
    socket.addEventListener('open', resolve);
    socket.addEventListener('error', reject);
  });
  const waiting = new Map<number, (result: unknown) => void>();
  socket.addEventListener('message', ({ data }) => {
    const { id, result } = z
      .object({ id: z.number().optional(), result: z.unknown() })
      .parse(JSON.parse(String(data)));
    if (id !== undefined) waiting.get(id)?.(result);
  });
  let last = 0;
  const ask = (method: string, params: object = {}): Promise<unknown> =>
    new Promise((resolve) => {
      last += 1;
      waiting.set(last, resolve);
      socket.send(JSON.stringify({ id: last, method, params }));
    });
  return Object.assign(ask, { close: () => socket.close() });
}

function hasMap(script: string): boolean {
  return existsSync(`${fileURLToPath(script)}.map`);
}

interface Bundle {
  /** The source of what begins at an offset of the bundle, from the root of the repository. Undefined: not ours. */
  sourceAt(offset: number): string | undefined;
}

function openBundle(file: string): Bundle {
  const code = readFileSync(file, 'utf8');
  const payload = JSON.parse(readFileSync(`${file}.map`, 'utf8')) as SourceMapPayload;
  const map = new SourceMap(payload);
  const lines = [0];
  for (let at = code.indexOf('\n'); at !== -1; at = code.indexOf('\n', at + 1)) lines.push(at + 1);
  return {
    sourceAt: (offset) => {
      const line = lines.findLastIndex((start) => start <= offset);
      const entry = map.findEntry(line, offset - (lines[line] ?? 0));
      if (!('originalSource' in entry) || entry.originalSource === undefined) return undefined;
      return path.relative(root, path.resolve(path.dirname(file), entry.originalSource));
    },
  };
}

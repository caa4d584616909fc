import { once } from 'node:events';
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const repository = fileURLToPath(new URL('../../../', import.meta.url));

export interface TestS3 {
  /** The settings of its bucket, as a server's configuration has them. */
  settings: {
    s3Url: string;
    s3Region: undefined;
    s3AccessKeyId: string;
    s3SecretAccessKey: string;
    s3SessionToken: undefined;
  };
  /** The same as variables. */
  environment: Record<string, string>;
  close(): Promise<void>;
}

const program = `
const S3rver = require('@20minutes/s3rver');
const [directory, port] = process.argv.slice(1);
const bucket = { name: 'turnpike', configs: [] };
new S3rver({ address: '127.0.0.1', port: Number(port), silent: true, directory, configureBuckets: [bucket] })
  .run()
  .then(({ port }) => console.log(port));`;

/**
 * Starts a store with the API of S3, in a process of its own, that checks signatures.
 *
 * @param folder for its files. @param wantedPort default: a free one.
 */
export async function startS3(folder: string, wantedPort = 0): Promise<TestS3> {
  const child = spawn(
    process.execPath,
    ['--input-type=commonjs', '-e', program, folder, String(wantedPort)],
    {
      cwd: repository,
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  const [port] = (await once(createInterface(child.stdout), 'line')) as [string];
  const s3Url = `http://127.0.0.1:${port}/turnpike/files`;
  // Its only key.
  const key = 'S3RVER';
  return {
    settings: {
      s3Url,
      s3Region: undefined,
      s3AccessKeyId: key,
      s3SecretAccessKey: key,
      s3SessionToken: undefined,
    },
    environment: {
      TURNPIKE_S3_URL: s3Url,
      TURNPIKE_S3_ACCESS_KEY_ID: key,
      TURNPIKE_S3_SECRET_ACCESS_KEY: key,
    },
    close: async () => {
      child.kill();
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    },
  };
}

import { createRequire } from 'node:module';
import path from 'node:path';
import { FileFault } from '../file-fault.js';

/** OCR takes a hundred megabytes that most servers never use: its packages are installed by who wants them. */
const packages = ['tesseract.js', '@tesseract.js-data/eng', '@napi-rs/canvas'] as const;

type OcrPackage = (typeof packages)[number];

/** Finds the folder of one. @throws OcrMissingError when it is not installed. */
export type FindOcr = (name: OcrPackage) => string;

/** Finds a file of a package, as `require.resolve` does. */
export type Resolve = (id: string) => string;

/** A package that OCR needs is not installed: a fault of the server's, until somebody installs it. */
export class OcrMissingError extends FileFault {
  constructor(options: ErrorOptions) {
    super(
      'can only be read by OCR, which is not installed on this server: ' +
        `\`npm install ${packages.join(' ')}\` there adds it. All else works without it`,
      options,
    );
  }
}

/**
 * The folder of a package of OCR's.
 *
 * @throws OcrMissingError when it is not installed.
 */
export function findOcrPackage(
  name: OcrPackage,
  resolve: Resolve = createRequire(import.meta.url).resolve,
): string {
  try {
    return path.dirname(resolve(`${name}/package.json`));
  } catch (cause) {
    throw new OcrMissingError({ cause });
  }
}

import { createRequire } from 'node:module';
import path from 'node:path';
import { FileFault } from './extraction-types.js';

/** Packages of OCR. Optional: they take a hundred megabytes that most servers never use. */
const packages = ['tesseract.js', '@tesseract.js-data/eng', '@napi-rs/canvas'] as const;

type OcrPackage = (typeof packages)[number];

/** Finds the folder of a package. @throws OcrMissingError when it is not installed. */
export type FindOcr = (name: OcrPackage) => string;

/** Finds a file of a package, as `require.resolve` does. */
export type Resolve = (id: string) => string;

/** A package that OCR needs is not installed: a fault that ends when an operator installs it. */
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
 * The folder of an OCR package.
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

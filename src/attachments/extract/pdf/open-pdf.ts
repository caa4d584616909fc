import { createRequire } from 'node:module';
import path from 'node:path';
import { getDocument, type PDFDocumentProxy } from 'pdfjs-dist/legacy/build/pdf.mjs';
import { FileFault } from '../file-fault.js';

const pdfjs = path.dirname(createRequire(import.meta.url).resolve('pdfjs-dist/package.json'));

/** @throws FileFault for a PDF that is locked or broken. */
export async function openPdf(content: Buffer): Promise<PDFDocumentProxy> {
  try {
    return await getDocument({
      data: new Uint8Array(content),
      // What a document brings is never run, and nothing that it names is fetched.
      isEvalSupported: false,
      enableXfa: false,
      disableFontFace: true,
      useSystemFonts: false,
      verbosity: 0,
      standardFontDataUrl: `${pdfjs}/standard_fonts/`,
      cMapUrl: `${pdfjs}/cmaps/`,
      cMapPacked: true,
      wasmUrl: `${pdfjs}/wasm/`,
    }).promise;
  } catch (cause) {
    const name = cause instanceof Error ? cause.name : '';
    if (name === 'PasswordException') {
      throw new FileFault('is locked with a password: remove it', { cause });
    }
    throw new FileFault('is no whole PDF: it cannot be opened', { cause });
  }
}

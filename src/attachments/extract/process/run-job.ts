import { readFile, writeFile } from 'node:fs/promises';
import { assertNever } from '../../../platform/assert-never.js';
import type { TextOutcome, TextSource } from '../outcomes.js';
import { FileFault } from '../file-fault.js';
import { findOcrPackage, NoOcr, type FindOcr } from '../images/ocr-packages.js';
import type { ReadBudget, TextFound } from '../text-found.js';
import type { ReaderAnswer, ReaderJob, ReaderRequest } from './extraction-job.js';

/** Of what a parser said. */
const FAULT_CHARS = 500;

type Reader = (content: Buffer, budget: ReadBudget, findOcr: FindOcr) => Promise<TextFound>;

/** Each reader is loaded when its first file comes: together they are large. */
const readers: Record<TextSource, Reader> = {
  text: async (content) => (await import('../text/extract-plain.js')).readPlain(content),
  csv: async (content) => (await import('../text/extract-plain.js')).readPlain(content),
  html: async (content) => (await import('../text/extract-html.js')).readHtml(content),
  docx: async (content) => (await import('../office/extract-docx.js')).readDocx(content),
  xlsx: async (content, budget) =>
    (await import('../office/extract-xlsx.js')).readXlsx(content, budget),
  pptx: async (content) => (await import('../office/extract-pptx.js')).readPptx(content),
  pdf: async (content, budget, findOcr) =>
    (await import('../pdf/extract-pdf.js')).readPdf(content, budget, findOcr),
};

/** Never rejects: whatever a parser throws is about the file. */
export async function readJob(
  { job, file, made }: ReaderRequest,
  findOcr: FindOcr = (name) => findOcrPackage(name),
): Promise<ReaderAnswer> {
  try {
    return await read(job, await readFile(file), made, findOcr);
  } catch (error) {
    const isPassing = error instanceof NoOcr;
    return { type: 'refused', ...describe(error), ...(isPassing ? { isPassing } : {}) };
  }
}

async function read(
  job: ReaderJob,
  content: Buffer,
  made: string,
  findOcr: FindOcr,
): Promise<ReaderAnswer> {
  switch (job.kind) {
    case 'text':
      return toOutcome(await readers[job.source](content, job, findOcr), job.maxChars);
    case 'image-text': {
      const { readPicture } = await import('../images/extract-picture.js');
      return toOutcome(await readPicture(content, findOcr), job.maxChars);
    }
    case 'pages': {
      const { countPages } = await import('../pdf/extract-pdf.js');
      return { type: 'pdf', ...(await countPages(content)) };
    }
    case 'fit-image': {
      const { fitImage } = await import('../images/fit-image.js');
      const fitted = await fitImage(content, job);
      if (fitted.type === 'fits') return fitted;
      const { content: changed, ...facts } = fitted;
      await writeFile(made, changed, { mode: 0o600 });
      return facts;
    }
    default:
      return assertNever(job);
  }
}

function toOutcome(
  { text, via, isPartial = false, isPassing = false, ...facts }: TextFound,
  maxChars: number,
): TextOutcome {
  const clean = withoutControls(text);
  const isCut = isPartial || clean.length > maxChars;
  // Half of a pair of surrogates is no character: neither a database nor the provider takes it.
  const kept = clean.slice(0, maxChars).replace(/\p{Cs}/gu, '');
  const passing = isPassing ? { isPassing } : {};
  return { type: 'text', text: kept, isCut, via, ...facts, ...passing };
}

/** A database takes no NUL, and nobody means the other control characters. */
function withoutControls(text: string): string {
  return text
    .replaceAll('\r\n', '\n')
    .replace(/(?![\n\t])\p{Cc}/gu, '')
    .trim();
}

const damaged = 'The file cannot be read: it is damaged, or made in a way that is not known here';

/** What a parser throws is for the log: it may speak of anything, and says nothing to the file's sender. */
function describe(error: unknown): { reason: string; fault?: string } {
  if (error instanceof FileFault) return { reason: `The file ${error.message}` };
  const said = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  return { reason: damaged, fault: said.slice(0, FAULT_CHARS) };
}

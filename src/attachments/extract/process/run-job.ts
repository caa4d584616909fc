import { readFile, writeFile } from 'node:fs/promises';
import { assertNever } from '../../../platform/assert-never.js';
import {
  FileFault,
  type ExtractedText,
  type ExtractionAnswer,
  type ExtractionBudget,
  type ExtractionJob,
  type ExtractionRequest,
  type TextOutcome,
  type TextSource,
} from '../extraction-types.js';
import { findOcrPackage, OcrMissingError, type FindOcr } from '../ocr-packages.js';

/** Characters of a parser's error that are logged. */
const FAULT_CHARS = 500;

type TextExtractor = (
  content: Buffer,
  budget: ExtractionBudget,
  findOcr: FindOcr,
) => Promise<ExtractedText>;

/** Each extractor is loaded with its first file: together they are large. */
const extractors: Record<TextSource, TextExtractor> = {
  text: async (content) => (await import('../text/extract-plain.js')).extractPlain(content),
  csv: async (content) => (await import('../text/extract-plain.js')).extractPlain(content),
  html: async (content) => (await import('../text/extract-html.js')).extractHtml(content),
  docx: async (content) => (await import('../office/extract-docx.js')).extractDocx(content),
  xlsx: async (content, budget) =>
    (await import('../office/extract-xlsx.js')).extractXlsx(content, budget),
  pptx: async (content, budget) =>
    (await import('../office/extract-pptx.js')).extractPptx(content, budget),
  pdf: async (content, budget, findOcr) =>
    (await import('../pdf/extract-pdf.js')).extractPdf(content, budget, findOcr),
};

/** Runs a job. Never rejects: whatever a parser throws is about the file. */
export async function runJob(
  { job, file, made }: ExtractionRequest,
  findOcr: FindOcr = (name) => findOcrPackage(name),
): Promise<ExtractionAnswer> {
  try {
    return await extract(job, await readFile(file), made, findOcr);
  } catch (error) {
    const isPassing = error instanceof OcrMissingError;
    return { type: 'refused', ...describe(error), ...(isPassing ? { isPassing } : {}) };
  }
}

async function extract(
  job: ExtractionJob,
  content: Buffer,
  made: string,
  findOcr: FindOcr,
): Promise<ExtractionAnswer> {
  switch (job.kind) {
    case 'text':
      return toOutcome(await extractors[job.source](content, job, findOcr), job.maxChars);
    case 'image-text': {
      const { extractPicture } = await import('../images.js');
      return toOutcome(await extractPicture(content, findOcr), job.maxChars);
    }
    case 'pages': {
      const { countPages } = await import('../pdf/extract-pdf.js');
      return { type: 'pdf', ...(await countPages(content)) };
    }
    case 'fit-image': {
      const { fitImage } = await import('../images.js');
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
  { text, via, isPartial = false, ...facts }: ExtractedText,
  maxChars: number,
): TextOutcome {
  const clean = withoutControls(text);
  const isCut = isPartial || clean.length > maxChars;
  // A lone surrogate is no character: neither a database nor the provider takes it.
  const kept = clean.slice(0, maxChars).replace(/\p{Cs}/gu, '');
  return { type: 'text', text: kept, isCut, via, ...facts };
}

/** Removes control characters: a database takes no NUL, and the others carry no text. */
function withoutControls(text: string): string {
  return text
    .replaceAll('\r\n', '\n')
    .replace(/(?![\n\t])\p{Cc}/gu, '')
    .trim();
}

const damaged = 'The file cannot be read: it is damaged, or made in a way that is not known here';

/**
 * A parser's error is for the log alone: its message may hold anything, and does not help the
 * sender.
 */
function describe(error: unknown): { reason: string; fault?: string } {
  if (error instanceof FileFault) return { reason: `The file ${error.message}` };
  const fault = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  return { reason: damaged, fault: fault.slice(0, FAULT_CHARS) };
}

import type { Readable } from 'node:stream';
import { Dicer } from '@fastify/busboy';
import { untilAborted } from '../../platform/async/abort.js';
import { invalidRequest, type TypedError } from '../../errors/typed-error.js';
import { parseContentDisposition, type ContentDisposition } from './parse-content-disposition.js';
import type { RequestBody } from '../../http/request-body.js';

export interface FormPart extends ContentDisposition {
  content: Readable;
}

export interface PartRules {
  /** Parts of the form at most, with headers or without. */
  maxParts: number;
  /** Makes the error for a form of more parts. */
  tooMany(): Error;
  /** Called with each part as soon as its headers are complete. */
  take(part: FormPart): Promise<void>;
}

/**
 * Parses a multipart form while it comes, with backpressure from the parts' contents.
 *
 * @throws TypedError 400 when the form is not whole; what `tooMany` makes and `take` throws.
 */
export async function parseParts(
  body: RequestBody,
  boundary: string,
  rules: PartRules,
): Promise<void> {
  const dicer = new Dicer({ boundary });
  dicer.on('error', (error) => body.refuse(malformed(error.message)));
  const { opened, taken } = takeEach(dicer, body, rules);
  let isFinished = false;
  const finished = new Promise<void>((resolve) => {
    dicer.once('finish', () => {
      isFinished = true;
      resolve();
    });
  });
  try {
    for await (const chunk of body.read()) {
      // The epilogue after the form is ignored.
      if (isFinished) continue;
      // The parser never calls back for the last chunk when a part was under backpressure.
      await untilAborted(Promise.race([write(dicer, chunk), finished]), body.signal);
    }
    dicer.end();
    await untilAborted(finished, body.signal);
    await Promise.all(taken);
    if (taken.length < opened.length) throw malformed('a part has no head');
  } catch (error) {
    body.refuse(error);
  }
  if (!body.signal.aborted) return;
  for (const part of opened) part.destroy(body.signal.reason as Error);
  await Promise.all(taken);
  throw body.signal.reason;
}

/** @returns the parts so far, and the promises of their handlers, which never reject. */
function takeEach(
  dicer: Dicer,
  body: RequestBody,
  rules: PartRules,
): { opened: Readable[]; taken: Promise<void>[] } {
  const opened: Readable[] = [];
  const taken: Promise<void>[] = [];
  dicer.on('part', (part) => {
    // Thrown through the parser and out of `write`: one chunk could open thousands of parts before
    // `write` returns.
    if (opened.length >= rules.maxParts) throw rules.tooMany();
    opened.push(part);
    // The parser emits the same error.
    part.on('error', () => undefined);
    part.once('header', (header) => {
      if (body.signal.aborted) part.resume();
      else taken.push(takePart(header, part, rules).catch(body.refuse));
    });
  });
  return { opened, taken };
}

function write(dicer: Dicer, chunk: Buffer): Promise<void> {
  return new Promise((resolve, reject) => {
    dicer.write(chunk, (error) => (error ? reject(error) : resolve()));
  });
}

async function takePart(header: object, content: Readable, rules: PartRules): Promise<void> {
  const values = header as Record<string, string[] | undefined>;
  const disposition = parseContentDisposition(values['content-disposition']?.[0] ?? '');
  if (disposition === undefined) {
    throw malformed('a part has no Content-Disposition: form-data with a name');
  }
  await rules.take({ ...disposition, content });
}

function malformed(reason: string): TypedError {
  return invalidRequest(
    `The body is not a whole multipart form: ${reason}. Send it as multipart/form-data, as "curl -F" does.`,
  );
}

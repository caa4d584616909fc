import type { ErrorCode } from '../../errors/typed-error.js';
import { compact } from '../../platform/face.js';
import type { AnswerFold } from '../framing/face.js';
import type { OracleChunk } from './dialect/oracle-frames.js';
import { encodeOracle, oracleStart, type OracleState } from './dialect/oracle.js';
import type { OracleAnswerDto, RetrievalTraceDto } from './oracle.dto.js';
import { answerFailed } from './oracle-errors.js';

type Of<Type extends OracleChunk['type']> = Extract<OracleChunk, { type: Type }>;

interface OracleFold {
  encoded: OracleState;
  kept: readonly OracleChunk[];
}

/**
 * Folds a turn to an answer, by way of the wire's chunks. The text is the turn's: a step that was discarded
 * and sent again counts once. A turn that failed throws its failure.
 */
export function oracleAnswer(explain: boolean): AnswerFold<OracleFold, OracleAnswerDto> {
  return {
    initial: { encoded: oracleStart, kept: [] },
    next: ({ encoded, kept }, event) => {
      const { state, chunks } = encodeOracle(encoded, event);
      const more = chunks.filter(({ type }) => type !== 'content' && type !== 'thinking');
      return { encoded: state, kept: more.length === 0 ? kept : [...kept, ...more] };
    },
    end: ({ encoded, kept }, { text: answer }) =>
      toAnswer(kept, encoded.view.turn.failure?.errorType, { answer, explain }),
  };
}

function toAnswer(
  chunks: readonly OracleChunk[],
  failure: ErrorCode | undefined,
  { answer, explain }: { answer: string; explain: boolean },
): OracleAnswerDto {
  const done = pick(chunks, 'done')[0];
  const error = pick(chunks, 'error')[0];
  if (done === undefined && error !== undefined) throw answerFailed(error, failure);
  return {
    answer,
    sources: pick(chunks, 'source').map(({ source }) => source),
    tokens_used: done?.tokens_used,
    model_used: done?.model_used,
    context_id: done?.context_id,
    ...(explain ? { retrieval_traces: traces(chunks) } : {}),
    // Discarded content needs no notice: the answer is whole, and has none of it.
    notices: pick(chunks, 'system').filter(
      ({ system_type }) => system_type !== 'content_discarded',
    ),
    ...compact({ output: done?.output, metadata: done?.metadata }),
  };
}

function traces(chunks: readonly OracleChunk[]): RetrievalTraceDto[] {
  const results = new Map(
    pick(chunks, 'tool_result').map((chunk) => [chunk.tool_call_id, chunk.tool_result]),
  );
  return pick(chunks, 'tool_call').map(({ tool_call: call }) => ({
    ...call,
    status: call.status === 'running' ? 'completed' : call.status,
    result: results.get(call.id) ?? '',
  }));
}

function pick<Type extends OracleChunk['type']>(
  chunks: readonly OracleChunk[],
  type: Type,
): Of<Type>[] {
  return chunks.filter((chunk): chunk is Of<Type> => chunk.type === type);
}

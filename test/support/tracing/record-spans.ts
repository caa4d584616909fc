import { context, propagation, trace } from '@opentelemetry/api';
import {
  InMemorySpanExporter,
  NodeTracerProvider,
  SimpleSpanProcessor,
  type ReadableSpan,
} from '@opentelemetry/sdk-trace-node';

export interface RecordedSpans {
  /** Those that have ended, in the order of their ends. */
  ended(): ReadableSpan[];
  forget(): void;
  /** Nothing is recorded after it, as before. */
  stop(): Promise<void>;
}

/** Registers OpenTelemetry's SDK for the process, as `--import ./otel.mjs` does, with an exporter in memory. */
export function recordSpans(): RecordedSpans {
  const exporter = new InMemorySpanExporter();
  const provider = new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
  provider.register();
  return {
    ended: () => exporter.getFinishedSpans(),
    forget: () => exporter.reset(),
    stop: async () => {
      await provider.shutdown();
      trace.disable();
      context.disable();
      propagation.disable();
    },
  };
}

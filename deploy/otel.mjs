/**
 * Traces a Turnpike process: `NODE_OPTIONS="--import /etc/turnpike/otel.mjs"`. The variables of OpenTelemetry say
 * where spans go and which are kept: OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_SERVICE_NAME, OTEL_RESOURCE_ATTRIBUTES,
 * OTEL_TRACES_SAMPLER.
 */
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { registerInstrumentations } from '@opentelemetry/instrumentation';
import { HttpInstrumentation } from '@opentelemetry/instrumentation-http';
import { UndiciInstrumentation } from '@opentelemetry/instrumentation-undici';
import { defaultResource, detectResources, envDetector } from '@opentelemetry/resources';
import { BatchSpanProcessor, NodeTracerProvider } from '@opentelemetry/sdk-trace-node';

const provider = new NodeTracerProvider({
  resource: defaultResource().merge(detectResources({ detectors: [envDetector] })),
  spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter())],
});
provider.register();

/** Asked every few seconds, by machines. */
const probes = ['/health', '/live', '/ready', '/metrics'];

registerInstrumentations({
  instrumentations: [
    new HttpInstrumentation({
      ignoreIncomingRequestHook: ({ url = '' }) => probes.includes(url.split('?')[0] ?? ''),
    }),
    new UndiciInstrumentation(),
  ],
});

// A process that stops in order sends what it has left.
process.once('beforeExit', () => void provider.shutdown());

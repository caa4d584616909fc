import { SwaggerModule, type OpenAPIObject } from '@nestjs/swagger';
import type { Request, RequestHandler } from 'express';
import path from 'node:path';
import { ConsoleLogins, serveLogin } from '../access/face.js';
import { builtPage } from './console/find-built-page.js';
import { packageRoot, packageVersion } from '../platform/process/package-root.js';
import { answerMethods, findRoutes, RouteTable } from './route-table.js';
import { checkHead } from './check-head.js';
import { describeApi, loadShapes, toOpenApi31 } from './describe-api.js';
import { ErrorShapes } from './harness-error.filter.js';
import { logRequests } from './log-requests.js';
import { BrowserPages } from '../http/browser-pages.js';
import { serveConsole } from './console/serve-console.js';
import type { NestExpressApplication } from '@nestjs/platform-express';
import type { ProcessValues } from '../config/config.module.js';
import { servesApi } from '../config/role.js';
import { HealthService } from '../operations/health-service.js';

/** Looks a provider up in all modules. */
const anywhere = { strict: false };

/** Headers that pages of other origins may read. */
const exposedHeaders = [
  'Content-Disposition',
  'ETag',
  'Location',
  'Preference-Applied',
  'Retry-After',
  'WWW-Authenticate',
  'X-Message-Id',
  'X-Request-Id',
  'X-Session-Id',
  'X-Should-Retry',
  'X-Turn-Disposition',
  'X-Turn-Id',
  'X-Vercel-AI-UI-Message-Stream',
];

/**
 * Adds what requests pass before the routes, the pages, and the description of the API.
 *
 * @returns a function that says that the server stops: what sends requests here has the drain's time to notice.
 */
export async function addRoutes(
  app: NestExpressApplication,
  { config, clock, logger }: ProcessValues,
): Promise<() => void> {
  app.disable('x-powered-by');
  let routes = new RouteTable([]);
  let isStopping = false;
  app.use(logRequests({ logger, clock, routes: () => routes, isStopping: () => isStopping }));
  app.use(checkHead);
  if (config.corsOrigins.length > 0) {
    app.enableCors({ origin: [...config.corsOrigins], exposedHeaders });
  }
  if (servesApi(config.role)) {
    const { handlers } = app.get(BrowserPages, anywhere);
    app.use(
      only(
        ({ path }) => handlers.has(path),
        (request, response, next) => handlers.get(request.path)?.(request, response, next),
      ),
    );
  }
  if (config.console && servesApi(config.role)) {
    const logins = app.get(ConsoleLogins, anywhere);
    if (logins.isOffered) app.use(serveLogin(logins, config.trustedProxies));
    const page = await serveConsole(builtPage, (path) => routes.methodsOf(path).length > 0);
    app.use(only(({ method }) => method === 'GET' || method === 'HEAD', page));
  }
  // After the console: some of its pages have the path of a route that does not support GET.
  app.use(answerMethods(() => routes));
  await loadShapes();
  const describe = (): OpenAPIObject => describeApi(app, packageVersion, app.get(ErrorShapes));
  // A page at `/docs`, the document at `/docs-json`, and for generators that know no OpenAPI 3.2 at `/docs-json/3.1`.
  SwaggerModule.setup('docs-json/3.1', app, () => toOpenApi31(describe()), {
    ui: false,
    raw: ['json'],
    jsonDocumentUrl: 'docs-json/3.1',
  });
  SwaggerModule.setup('docs', app, describe, {
    customSwaggerUiPath: path.join(packageRoot, 'dist/swagger-ui'),
  });
  await app.init();
  routes = new RouteTable(findRoutes(app.getHttpAdapter().getInstance()));
  return () => {
    app.get(HealthService, anywhere).noteStop();
    isStopping = true;
  };
}

/** A handler that sees the requests that are its own alone. */
function only(isIts: (request: Request) => boolean, handler: RequestHandler): RequestHandler {
  return (request, response, next) => (isIts(request) ? handler(request, response, next) : next());
}

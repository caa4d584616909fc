import type { INestApplication } from '@nestjs/common';
import { DocumentBuilder, SwaggerModule } from '@nestjs/swagger';

/** The API's description: a page at `/docs`, the document at `/docs-json`. */
export function mountOpenApi(app: INestApplication): void {
  const description = new DocumentBuilder()
    .setTitle('Turnpike')
    .setDescription(
      'An agent turn server. Post a turn to a session, read a stream of events, resume it by cursor. Every error is `{error: {type, message, details?}}`; the routes of agents answer with problem details (RFC 7807).',
    )
    .setVersion('0.1.0')
    .build();
  SwaggerModule.setup('docs', app, () => SwaggerModule.createDocument(app, description));
}

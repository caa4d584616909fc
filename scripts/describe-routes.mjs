/** The routes of the API, as its OpenAPI description has them. Controllers are only looked at. */
import 'reflect-metadata';
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { DocumentBuilder, SwaggerModule } from '@nestjs/swagger';

const source = fileURLToPath(new URL('../src', import.meta.url));

/** Files of the source with an ending, relative to `src`. */
export function sourceFiles(ending) {
  return readdirSync(source, { recursive: true })
    .filter((name) => name.endsWith(ending))
    .toSorted((a, b) => a.localeCompare(b));
}

/** Files of controllers, relative to the root and without their ending. */
export function controllerFiles() {
  return sourceFiles('.controller.ts').map(
    (name) => `src/${name.slice(0, -path.extname(name).length)}`,
  );
}

/**
 * @param {readonly object[]} files exports of the controllers' files.
 * @param {typeof import('../src/errors/describe-errors.js').describeErrors} describeErrors
 * @returns {Promise<string>} Markdown: a heading and a table for each tag.
 */
export async function describeRoutes(files, describeErrors) {
  const { paths, components } = await describeApi(files);
  const routes = Object.entries(paths).flatMap(([route, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ route, method, operation })),
  );
  const tags = [...new Set(routes.map(({ operation }) => operation.tags[0]))].toSorted((a, b) =>
    a.localeCompare(b),
  );
  const sections = tags.map((tag) => {
    const rows = routes
      .filter(({ operation }) => operation.tags[0] === tag)
      .map(({ route, method, operation }) => {
        const errors = new Set([
          ...Object.keys(operation.responses).filter((status) => Number(status) >= 400),
          ...describeErrors(operation['x-errors'] ?? []).map(({ status }) => `${status}`),
        ]);
        const takes = [
          ...namesIn(operation, 'header'),
          ...namesIn(operation, 'query'),
          ...bodyFields(operation, components.schemas),
        ];
        const name = `\`${method.toUpperCase()} ${route}\``;
        return `| ${name} | ${operation.summary} | ${takes.join(', ')} | ${[...errors].toSorted().join(', ')} |`;
      });
    const head = ['| route | what it does | takes | errors |', '| --- | --- | --- | --- |'];
    return [`## ${tag}`, [...head, ...rows].join('\n')].join('\n\n');
  });
  return sections.join('\n\n');
}

async function describeApi(files) {
  const controllers = files
    .flatMap((exported) => Object.values(exported))
    .filter((value) => typeof value === 'function' && Reflect.hasMetadata('path', value));
  // A description calls no controller: none is given its services, nor what its routes go through.
  for (const controller of controllers) {
    Reflect.defineMetadata('design:paramtypes', [], controller);
    Reflect.deleteMetadata('self:paramtypes', controller);
    for (const { value } of Object.values(Object.getOwnPropertyDescriptors(controller.prototype))) {
      if (typeof value === 'function') Reflect.deleteMetadata('__interceptors__', value);
    }
  }
  class Api {}
  Module({ controllers })(Api);
  const app = await NestFactory.create(Api, { preview: true, logger: false, abortOnError: false });
  return SwaggerModule.createDocument(app, new DocumentBuilder().build());
}

function namesIn({ parameters = [] }, place) {
  return parameters
    .filter((parameter) => parameter.in === place)
    .map(({ name, required = false }) => `\`${name}${required ? '' : '?'}\``);
}

/** The fields of a JSON body. What may be left out has a mark, as in a query. */
function bodyFields({ requestBody }, schemas) {
  const schema = requestBody?.content?.['application/json']?.schema ?? {};
  const name = schema.$ref?.split('/').at(-1);
  const { properties = {}, required = [] } = name === undefined ? schema : schemas[name];
  return Object.keys(properties).map(
    (field) => `\`${field}${required.includes(field) ? '' : '?'}\``,
  );
}

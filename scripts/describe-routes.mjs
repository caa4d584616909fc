/** The routes of the API, as its OpenAPI description has them. Controllers are only looked at. */
import 'reflect-metadata';
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { ApiExtension, DocumentBuilder, SwaggerModule } from '@nestjs/swagger';

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
 * @param {{ paths: object }} document as `describeApi` makes it.
 * @returns {string} Markdown: a heading and a table for each tag.
 */
export function describeRoutes({ paths }) {
  const routes = Object.entries(paths).flatMap(([route, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ route, method, operation })),
  );
  const tags = [...new Set(routes.map(({ operation }) => operation.tags[0]))].toSorted((a, b) =>
    a.localeCompare(b),
  );
  const sections = tags.map((tag) => {
    const own = routes.filter(({ operation }) => operation.tags[0] === tag);
    const [scope, ...others] = new Set(own.map(({ operation }) => operation[SCOPE]));
    const hasOne = others.length === 0;
    const rows = own.map(({ route, method, operation }) =>
      [
        `| \`${method.toUpperCase()} ${route}\` |`,
        ...(hasOne ? [] : [`${operation[SCOPE]} |`]),
        `${operation.summary} |`,
      ].join(' '),
    );
    const head = hasOne
      ? ['| route | what it does |', '| --- | --- |']
      : ['| route | scope | what it does |', '| --- | --- | --- |'];
    return [
      `## ${tag}`,
      ...(hasOne && scope !== TURNS ? [`Scope: ${scope}.`] : []),
      [...head, ...rows].join('\n'),
    ].join('\n\n');
  });
  return sections.join('\n\n');
}

/** The field of an operation with the scope that it needs. */
const SCOPE = 'x-scope';

/** The scope of routes that declare none. */
const TURNS = '`turns`';

/**
 * The API's document, with the scope of each route.
 *
 * @param {readonly object[]} files exports of the controllers' files.
 * @param {typeof import('../src/access/owned.decorator.js')} access the keys of what routes declare.
 */
export async function describeApi(files, access) {
  const controllers = files
    .flatMap((exported) => Object.values(exported))
    .filter((value) => typeof value === 'function' && Reflect.hasMetadata('path', value));
  // A description calls no controller: none is given its services, nor what its routes go through.
  for (const controller of controllers) {
    Reflect.defineMetadata('design:paramtypes', [], controller);
    Reflect.deleteMetadata('self:paramtypes', controller);
    for (const { value } of Object.values(Object.getOwnPropertyDescriptors(controller.prototype))) {
      if (typeof value !== 'function') continue;
      Reflect.deleteMetadata('__interceptors__', value);
      ApiExtension(SCOPE, scopeOf(value, controller, access))(value, '', { value });
    }
  }
  class Api {}
  Module({ controllers })(Api);
  const app = await NestFactory.create(Api, { preview: true, logger: false, abortOnError: false });
  return SwaggerModule.createDocument(app, new DocumentBuilder().build());
}

/** The scope of a route's key, as the guard finds it. */
function scopeOf(handler, controller, { DECLARATION, KEYS_SCOPE, SCOPE: ALL_SCOPE }) {
  if (Reflect.getMetadata(DECLARATION, handler)?.type === 'open') return 'open';
  const [scope] = [KEYS_SCOPE, ALL_SCOPE].flatMap((key) =>
    [handler, controller].map((target) => Reflect.getMetadata(key, target)).filter(Boolean),
  );
  return scope === undefined ? TURNS : `\`${scope}\``;
}

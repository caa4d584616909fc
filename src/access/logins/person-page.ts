import { hash } from 'node:crypto';
import type { Request } from 'express';
import { recordOf } from '../../http/request-record.js';
import type { TypedError } from '../../errors/typed-error.js';
import { consoleOrigin } from './login-cookies.js';
import { LoginError } from './login-error.js';

/** Pages for people that are no part of the console: the ends of log-ins. */

const style =
  'body{font:1rem/1.5 system-ui,sans-serif;max-width:36rem;margin:4rem auto;padding:0 1rem}code{overflow-wrap:anywhere}button{font:inherit;padding:.5rem 1rem}';

/**
 * Headers of a page.
 *
 * @param form whether it has a form, which it sends to itself: browsers name the sender of one in `Origin` then.
 */
export function pageHeaders(form: 'form' | 'no-form' = 'no-form'): Record<string, string> {
  const action = form === 'form' ? "'self'" : "'none'";
  return {
    'Cache-Control': 'no-store',
    'Content-Security-Policy': `default-src 'none'; style-src 'sha256-${hash('sha256', style, 'base64')}'; base-uri 'none'; form-action ${action}; frame-ancestors 'none'`,
    'Cross-Origin-Opener-Policy': 'same-origin',
    'Referrer-Policy': form === 'form' ? 'same-origin' : 'no-referrer',
  };
}

/** A page. Pure. @param main HTML. */
export function pageOf(title: string, main: readonly string[]): string {
  return [
    '<!doctype html>',
    '<html lang="en"><meta charset="utf-8"><meta name="color-scheme" content="light dark">',
    `<meta name="viewport" content="width=device-width"><title>${escaped(title)} – Turnpike</title>`,
    `<style>${style}</style>`,
    `<main>${main.join('\n')}</main></html>`,
  ].join('\n');
}

/** The page of a log-in that failed. Nothing in it is trusted. */
export function faultPage(
  title: string,
  heading: string,
  { type, message, details }: TypedError,
  request: Request,
): string {
  const reason =
    typeof details === 'object' && details !== null && 'reason' in details
      ? ` ${String(details.reason)}`
      : '';
  const codes = [`${type}${reason}`, recordOf(request)?.id].filter((one) => one !== undefined);
  return pageOf(title, [
    `<h1>${escaped(heading)}</h1><p>${escaped(message)}</p>`,
    `<p><a href="/">Go to the console</a></p><p>For the administrator: <code>${escaped(codes.join(', '))}</code></p>`,
  ]);
}

export function escaped(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

/** The value of `Sec-Fetch-Site`. */
export function siteOf({ headers }: Request): string | undefined {
  const site = headers['sec-fetch-site'];
  return Array.isArray(site) ? site.join() : site;
}

/** @throws LoginError UNKNOWN_HOST. */
export function hostOf({ headers: { host } }: Request): string {
  if (host === undefined || !URL.canParse(consoleOrigin(host))) {
    throw new LoginError('UNKNOWN_HOST');
  }
  return host;
}

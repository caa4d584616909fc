import { describe, expect, it } from '@jest/globals';
import {
  contentTypes,
  mainRelation,
  officeFile,
  relations,
  type OfficeParts,
} from '../../../../test/support/files/office-file.js';
import { OfficePackage, parsePart } from './office-package.js';

const open = (parts: OfficeParts): Promise<OfficePackage> => OfficePackage.open(officeFile(parts));

/** The name of the part that a relation of `a/main.xml` leads to; undefined when there is none. */
async function follow(
  target: string,
  name: string,
  mode = 'Internal',
): Promise<string | undefined> {
  const archive = await open({
    '_rels/.rels': mainRelation('a/main.xml'),
    'a/main.xml': '<main/>',
    'a/_rels/main.xml.rels': relations([['r1', 'styles', target, mode]]),
    [name]: '<styles/>',
  });
  const main = archive.findMain('docx');
  return main === undefined ? undefined : archive.related(main, 'styles')[0]?.part?.name;
}

describe('a relation leads to a part', () => {
  it.each<[string, string, string]>([
    ['in the same folder', 'b.xml', 'a/b.xml'],
    ['in a folder below', 'c/b.xml', 'a/c/b.xml'],
    ['in a folder above', '../b.xml', 'b.xml'],
    ['above the root', '../../../b.xml', 'b.xml'],
    ['by its absolute name', '/c/b.xml', 'c/b.xml'],
    ['by its absolute name without a slash', 'c/b.xml', 'c/b.xml'],
    ['with dots', './c/../b.xml', 'a/b.xml'],
    ['with backslashes', '..\\c\\b.xml', 'c/b.xml'],
    ['in another case', 'B.XML', 'a/b.xml'],
    ['escaped', 'b%20c.xml', 'a/b c.xml'],
    ['escaped in the archive', 'b c.xml', 'a/b%20c.xml'],
    ['escaped, with other letters', '%C3%A9.xml', 'a/é.xml'],
    ['with a percent sign of its own', '100%25.xml', 'a/100%.xml'],
    ['with a fragment', 'b.xml#first', 'a/b.xml'],
  ])('%s', async (_how, target, name) => {
    expect(await follow(target, name)).toBe(name);
  });

  it.each<[string, string, string, string?]>([
    ['of another name', 'c.xml', 'a/b.xml'],
    ['whose letters differ in more than the case of ASCII', 'É.xml', 'a/é.xml'],
    ['of the same name outside', 'http://example.com/a/b.xml', 'a/b.xml'],
    ['that is external', 'b.xml', 'a/b.xml', 'External'],
    ['that is external, in another case', 'b.xml', 'a/b.xml', 'EXTERNAL'],
  ])('but not to one %s', async (_how, target, name, mode = 'Internal') => {
    expect(await follow(target, name, mode)).toBeUndefined();
  });
});

it('of two names that differ in case, the exact one is meant', async () => {
  const parts = {
    '_rels/.rels': mainRelation('Main.xml'),
    'main.xml': '<other/>',
    'Main.xml': '<main/>',
    'MAIN.xml': '<other/>',
  };
  expect((await open(parts)).findMain('docx')?.name).toBe('Main.xml');
});

it('of several main parts, the one of the kind is meant', async () => {
  const archive = await open({
    '[Content_Types].xml': contentTypes({ 'B.xml': 'spreadsheetml.sheet.main' }),
    '_rels/.rels': relations([
      ['r1', 'officeDocument', 'a.xml'],
      ['r2', 'officeDocument', 'b.xml'],
    ]),
    'a.xml': '<a/>',
    'b.xml': '<b/>',
  });
  expect(archive.findMain('xlsx')?.name).toBe('b.xml');
  expect(archive.findMain('pptx')?.name).toBe('a.xml');
});

it('a default content type counts where no other is given, in any case', async () => {
  const types = contentTypes({ '/book.XML': 'x' }).replace(
    'Extension="xml" ContentType="application/xml"',
    'Extension="XML" ContentType="application/vnd.openxmlformats-officedocument.SPREADSHEETML.sheet.main+xml"',
  );
  const archive = await open({ '[content_types].xml': types, 'data/Tab.xml': '<workbook/>' });
  expect(archive.findMain('xlsx')?.name).toBe('data/Tab.xml');
});

it('relations may go round in circles', async () => {
  const archive = await open({
    '_rels/.rels': mainRelation('a.xml'),
    'a.xml': '<a/>',
    '_rels/a.xml.rels': relations([
      ['r1', 'slide', 'a.xml'],
      ['r2', 'slide', '_rels/a.xml.rels'],
    ]),
  });
  const main = archive.findMain('pptx');
  const names =
    main === undefined ? [] : archive.related(main, 'slide').map(({ part }) => part?.name);
  expect(names).toEqual(['a.xml', '_rels/a.xml.rels']);
});

it('a part that is no XML is damaged, and one that is not needed is no fault', async () => {
  const archive = await open({
    '_rels/.rels': mainRelation('a.xml'),
    'a.xml': Buffer.from([0, 1, 2, 3]),
    'empty.xml': Buffer.alloc(0),
  });
  expect(() => parsePart(archive.findMain('docx'), {})).toThrow('not complete XML');
  expect(() => parsePart(undefined, {})).not.toThrow();
});

it.each<[string, (text: string) => Buffer]>([
  ['UTF-16', (text) => Buffer.from(text, 'utf16le')],
  ['a declared encoding', (text) => Buffer.from(text.replace('UTF-8', 'ISO-8859-1'), 'latin1')],
  ['UTF-8 with UTF-16 declared', (text) => Buffer.from(text.replace('UTF-8', 'UTF-16'))],
  ['UTF-8 after a line', (text) => Buffer.from(`\n${text}`)],
])('a part in %s is read', async (_what, encode) => {
  const parts = { '_rels/.rels': mainRelation('a.xml'), 'a.xml': '<a>Übergröße</a>' };
  const archive = await OfficePackage.open(officeFile(parts, { encode }));
  const read: string[] = [];
  const text = (piece: string, name: string): unknown => name === 'a' && read.push(piece);
  parsePart(archive.findMain('docx'), { text });
  expect(read.join('')).toBe('Übergröße');
});

it('prefixes are as they are declared where they stand', async () => {
  const other = 'urn:other';
  const main = 'http://schemas.openxmlformats.org/drawingml/2006/main';
  const archive = await open({
    '_rels/.rels': mainRelation('a.xml'),
    'a.xml': `<q:a xmlns:q="${main}"><q:b xmlns:q="${other}"><c xmlns="${main}"/></q:b><q:d/></q:a>`,
  });
  const names: string[] = [];
  parsePart(archive.findMain('docx'), { open: (name) => names.push(name) });
  expect(names).toEqual(['a:a', 'q:b', 'a:c', 'a:d']);
});

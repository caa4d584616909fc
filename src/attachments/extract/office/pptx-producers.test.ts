import { expect, it } from '@jest/globals';
import { readFile } from 'node:fs/promises';
import {
  contentTypes,
  mainRelation,
  ns,
  officeFile,
  relations,
  type OfficeFileOptions,
  type OfficeParts,
} from '../../../../test/support/files/office-file.js';
import { extractPptx } from './extract-pptx.js';

// The same two slides as many programs write them: the names of the files are not in the order of the slides.

const declared = `xmlns:p="${ns.p}" xmlns:a="${ns.a}" xmlns:r="${ns.r}" xmlns:mc="${ns.mc}"`;
const shape = (text: string): string =>
  `<p:sp><p:txBody><a:p><a:r><a:t>${text}</a:t></a:r></a:p></p:txBody></p:sp>`;
const picture = `<p:pic><p:nvPicPr><p:cNvPr id="4" name="i" descr="Map"/></p:nvPicPr><p:blipFill><a:blip r:embed="rId7"/></p:blipFill></p:pic>`;
const slide = (content: string, kind = 'sld'): string =>
  `<p:${kind} ${declared}><p:cSld><p:spTree>${content}</p:spTree></p:cSld></p:${kind}>`;
const presentation = (ids: readonly string[]): string =>
  `<p:presentation ${declared}><p:sldIdLst>${ids.map((id, index) => `<p:sldId id="${256 + index}" r:id="${id}"/>`).join('')}</p:sldIdLst><p:extLst><p:ext uri="{x}"><p14:sectionLst xmlns:p14="http://schemas.microsoft.com/office/powerpoint/2010/main"><p14:section name="All"><p14:sldIdLst><p14:sldId id="256"/></p14:sldIdLst></p14:section></p14:sectionLst></p:ext></p:extLst></p:presentation>`;

const modern = 'http://schemas.microsoft.com/office/2018/10/relationships';
const powerPoint: OfficeParts = {
  '[Content_Types].xml': contentTypes({
    'ppt/presentation.xml': 'presentationml.presentation.main',
  }),
  '_rels/.rels': mainRelation('ppt/presentation.xml'),
  'ppt/presentation.xml': presentation(['rId3', 'rId2']),
  'ppt/_rels/presentation.xml.rels': relations([
    ['rId2', 'slide', 'slides/slide1.xml'],
    ['rId3', 'slide', 'slides/slide2.xml'],
    ['rId4', `${modern}/authors`, 'authors.xml'],
  ]),
  'ppt/slides/slide1.xml': slide(shape('Second')),
  'ppt/slides/slide2.xml': slide(shape('First') + picture),
  'ppt/slides/_rels/slide2.xml.rels': relations([
    ['rId1', 'notesSlide', '../notesSlides/notesSlide1.xml'],
    ['rId2', `${modern}/comments`, '../comments/modernComment_1.xml'],
    ['rId7', 'image', '../media/image1.png'],
  ]),
  'ppt/notesSlides/notesSlide1.xml': slide(shape('Say thanks'), 'notes'),
  'ppt/notesSlides/_rels/notesSlide1.xml.rels': relations([['a', 'slide', '../slides/slide2.xml']]),
  'ppt/comments/modernComment_1.xml': `<p188:cmLst xmlns:p188="http://schemas.microsoft.com/office/powerpoint/2018/8/main" xmlns:a="${ns.a}"><p188:cm authorId="{B}"><p188:txBody><a:p><a:r><a:t>drop it</a:t></a:r></a:p></p188:txBody></p188:cm></p188:cmLst>`,
  'ppt/authors.xml': `<p188:authorLst xmlns:p188="http://schemas.microsoft.com/office/powerpoint/2018/8/main"><p188:author id="{B}" name="Bob"/></p188:authorLst>`,
  'ppt/media/image1.png': Buffer.from([0x89, 0x50, 0x4e, 0x47]),
};

const whole =
  '# Slide 1\nFirst\n[picture, not read: Map]\nNotes:\nSay thanks\n[Comment by Bob: drop it]\n\n# Slide 2\nSecond';

const rewrite = (parts: OfficeParts, change: (text: string) => string): OfficeParts =>
  Object.fromEntries(
    Object.entries(parts).map(([name, content]) => [
      name,
      typeof content === 'string' ? change(content) : content,
    ]),
  );
/** Other names for some parts. */
const renamed = (names: Readonly<Record<string, string>>, more: OfficeParts = {}): OfficeParts => ({
  ...Object.fromEntries(
    Object.entries(powerPoint).map(([name, content]) => [names[name] ?? name, content]),
  ),
  ...more,
});
const but = (changes: Record<string, string | undefined>): OfficeParts =>
  Object.fromEntries(
    Object.entries({ ...powerPoint, ...changes }).flatMap(([name, content]) =>
      content === undefined ? [] : [[name, content]],
    ),
  );
const classic = {
  'ppt/_rels/presentation.xml.rels': relations([
    ['rId2', 'slide', 'slides/slide1.xml'],
    ['rId3', 'slide', '/ppt/slides/slide2.xml'],
    ['rId4', 'commentAuthors', 'commentAuthors.xml'],
  ]),
  'ppt/slides/_rels/slide2.xml.rels': relations([
    ['rId1', 'notesSlide', '../notesSlides/notesSlide1.xml'],
    ['rId2', 'comments', '../comments/comment1.xml'],
    ['rId7', 'image', '../media/image1.png'],
  ]),
  'ppt/comments/comment1.xml': `<p:cmLst ${declared}><p:cm authorId="0"><p:text>drop it</p:text></p:cm></p:cmLst>`,
  'ppt/commentAuthors.xml': `<p:cmAuthorLst ${declared}><p:cmAuthor id="0" name="Bob"/></p:cmAuthorLst>`,
};

it.each<[string, OfficeParts, OfficeFileOptions?]>([
  ['PowerPoint', powerPoint],
  ['PowerPoint of before 2019, and python-pptx', { ...powerPoint, ...classic }],
  [
    'PowerPoint, in the strict form',
    rewrite(powerPoint, (text) =>
      text
        .replaceAll(ns.p, 'http://purl.oclc.org/ooxml/presentationml/main')
        .replaceAll(ns.a, 'http://purl.oclc.org/ooxml/drawingml/main')
        .replaceAll(ns.r, 'http://purl.oclc.org/ooxml/officeDocument/relationships'),
    ),
  ],
  [
    'Keynote, with other names and folders',
    renamed(
      {
        'ppt/presentation.xml': 'deck/main.xml',
        'ppt/_rels/presentation.xml.rels': 'deck/_rels/main.xml.rels',
        'ppt/slides/slide2.xml': 'deck/Opening.xml',
        'ppt/slides/_rels/slide2.xml.rels': 'deck/_rels/Opening.xml.rels',
        'ppt/notesSlides/notesSlide1.xml': 'speaker/notes.xml',
      },
      {
        '_rels/.rels': mainRelation('/deck/main.xml'),
        'deck/_rels/main.xml.rels': relations([
          ['rId2', 'slide', '../ppt/slides/slide1.xml'],
          ['rId3', 'slide', 'Opening.xml'],
          ['rId4', `${modern}/authors`, '/ppt/authors.xml'],
        ]),
        'deck/_rels/Opening.xml.rels': relations([
          ['rId1', 'notesSlide', '../speaker/notes.xml'],
          ['rId2', `${modern}/comments`, '/ppt/comments/modernComment_1.xml'],
          ['rId7', 'image', '/ppt/media/image1.png'],
        ]),
      },
    ),
  ],
  [
    'Google Slides, with other prefixes',
    rewrite(powerPoint, (text) =>
      text
        .replaceAll(/(<\/?)p:/g, '$1x1:')
        .replaceAll('xmlns:p=', 'xmlns:x1=')
        .replaceAll(/(<\/?)a:/g, '$1x2:')
        .replaceAll('xmlns:a=', 'xmlns:x2=')
        .replaceAll(' r:', ' rel:')
        .replaceAll('xmlns:r=', 'xmlns:rel='),
    ),
  ],
  ['Aspose.Slides, which writes to a stream', powerPoint, { hasDescriptors: true }],
  [
    'programs of Windows, with backslashes',
    powerPoint,
    { rename: (name) => name.replaceAll('/', '\\') },
  ],
  ['programs that write names in upper case', powerPoint, { rename: (name) => name.toUpperCase() }],
  ['WPS, with a byte order mark', powerPoint, { encode: (text) => Buffer.from(`\uFEFF${text}`) }],
  ['programs that name the main part by its content type alone', but({ '_rels/.rels': undefined })],
])('a presentation of %s is read', async (_producer, parts, options = {}) => {
  const { text } = await extractPptx(officeFile(parts, options), { maxChars: 10_000 });
  expect(text).toBe(whole);
});

it('a presentation of LibreOffice is read', async () => {
  const file = new URL('../../../../test/fixtures/files/talk.pptx', import.meta.url);
  const { text } = await extractPptx(await readFile(file), { maxChars: 10_000 });
  expect(text).toBe(
    '# Slide 1\nThe harbour in 1893\nForty-two ships\nOne lighthouse\nNotes:\nSay thanks to the keeper.\n\n# Slide 2\nThe storm',
  );
});

it.each<[string, Record<string, string | undefined>, string, string]>([
  ['a slide', { 'ppt/slides/slide1.xml': undefined }, 'Second', '[slide, missing from the file]'],
  [
    'notes',
    { 'ppt/notesSlides/notesSlide1.xml': undefined },
    'Say thanks',
    '[notes, missing from the file]',
  ],
  [
    'comments',
    { 'ppt/comments/modernComment_1.xml': undefined },
    '[Comment by Bob: drop it]',
    '[comments, missing from the file]',
  ],
  [
    'a picture',
    { 'ppt/media/image1.png': undefined },
    '[picture, not read: Map]',
    '[picture, missing from the file: Map]',
  ],
])(
  'a presentation says that it names %s and does not have it',
  async (_what, changes, from, to) => {
    const { text } = await extractPptx(officeFile(but(changes)), { maxChars: 10_000 });
    expect(text).toBe(whole.replace(from, to));
  },
);

it('one of two forms of a shape is read', async () => {
  const both = `<mc:AlternateContent><mc:Choice xmlns:a14="http://schemas.microsoft.com/office/drawing/2010/main" Requires="a14">${shape('Sum')}</mc:Choice><mc:Fallback>${shape('Sum')}</mc:Fallback></mc:AlternateContent><mc:AlternateContent><mc:Choice xmlns:v="${ns.v}" Requires="v">${shape('Object')}</mc:Choice><mc:Fallback>${picture}</mc:Fallback></mc:AlternateContent>`;
  const { text } = await extractPptx(officeFile(but({ 'ppt/slides/slide2.xml': slide(both) })), {
    maxChars: 10_000,
  });
  expect(text).toMatch(/^# Slide 1\nSum\n\[picture, not read: Map\]\nNotes:/);
});

it('a slide that is named many times is read once, and slides after the limit are left out', async () => {
  const again = but({ 'ppt/presentation.xml': presentation(['rId2', 'rId2', 'rId2']) });
  const { text } = await extractPptx(officeFile(again), { maxChars: 10_000 });
  expect(text).toBe(
    '# Slide 1\nSecond\n\n# Slide 2\n[slide, the same as one above]\n\n# Slide 3\n[slide, the same as one above]',
  );
  const cut = await extractPptx(officeFile(powerPoint), { maxChars: 20 });
  expect(cut.isPartial).toBe(true);
  expect(cut.text).not.toContain('# Slide 2');
});

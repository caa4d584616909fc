import { describe, expect, it } from '@jest/globals';
import type Anthropic from '@anthropic-ai/sdk';
import { toSource } from './to-source.js';

/** A citation of each type of the SDK: a new type breaks the build here. */
const CITATIONS: {
  [Type in Anthropic.TextCitation['type']]: Extract<Anthropic.TextCitation, { type: Type }>;
} = {
  char_location: {
    type: 'char_location',
    cited_text: 'c',
    document_index: 0,
    document_title: 'a.txt',
    file_id: null,
    start_char_index: 3,
    end_char_index: 4,
  },
  page_location: {
    type: 'page_location',
    cited_text: 'c',
    document_index: 0,
    document_title: null,
    file_id: null,
    start_page_number: 1,
    end_page_number: 2,
  },
  content_block_location: {
    type: 'content_block_location',
    cited_text: 'c',
    document_index: 0,
    document_title: 'a',
    file_id: null,
    start_block_index: 0,
    end_block_index: 2,
  },
  web_search_result_location: {
    type: 'web_search_result_location',
    cited_text: 'c',
    encrypted_index: 'e',
    title: null,
    url: 'https://a.example/',
  },
  search_result_location: {
    type: 'search_result_location',
    cited_text: 'c',
    search_result_index: 0,
    source: 'kb/1',
    title: 'One',
    start_block_index: 0,
    end_block_index: 1,
  },
};

describe('toSource', () => {
  it.each([
    [
      CITATIONS.char_location,
      {
        type: 'document',
        title: 'a.txt',
        citedText: 'c',
        location: { unit: 'char', start: 3, end: 4 },
      },
    ],
    [
      CITATIONS.page_location,
      {
        type: 'document',
        title: 'Untitled',
        citedText: 'c',
        location: { unit: 'page', start: 1, end: 2 },
      },
    ],
    [
      CITATIONS.content_block_location,
      {
        type: 'document',
        title: 'a',
        citedText: 'c',
        location: { unit: 'block', start: 0, end: 2 },
      },
    ],
    [
      CITATIONS.web_search_result_location,
      { type: 'web', title: 'https://a.example/', url: 'https://a.example/', citedText: 'c' },
    ],
    [
      CITATIONS.search_result_location,
      {
        type: 'search',
        title: 'One',
        url: 'kb/1',
        citedText: 'c',
        location: { unit: 'block', start: 0, end: 1 },
      },
    ],
    [
      { type: 'new_location', title: 'N', url: 'u', cited_text: 'c' },
      { type: 'new_location', title: 'N', url: 'u', citedText: 'c' },
    ],
    [{ type: 'constructor' }, { type: 'constructor', title: 'Untitled' }],
    ['no object', { type: 'unknown', title: 'Untitled' }],
  ])('%j', (citation, source) => {
    expect(toSource(citation)).toEqual(source);
  });
});

import type { RequestedTurn } from './extract-turn.js';
import type { ReplyBlock } from './reply-plan.js';
import type { WireCitation } from './stream-types.js';

const citedCharacters = 40;
/** The document that is cited when the request has none. */
const ownSource = { title: 'Rehearsal notes', text: 'Nothing in this reply comes from a model.' };

/**
 * A text block with a citation of the request's last document, or of a made-up one. As in the API, a
 * text is cited by characters and any other document, such as a PDF, by page.
 */
export function citeDocument(document: RequestedTurn['document']): ReplyBlock {
  const citation = citationOf(document);
  const title = document ? document.block.title : ownSource.title;
  return {
    type: 'text',
    deltas: [`As "${title ?? 'the document'}" says,`, ' this is a cited answer.'],
    citation,
  };
}

function citationOf(document: RequestedTurn['document']): WireCitation {
  const title = document ? (document.block.title ?? null) : ownSource.title;
  const common = { document_index: document?.index ?? 0, document_title: title, file_id: null };
  const source = document?.block.source;
  if (source && source.type !== 'text') {
    return {
      type: 'page_location',
      cited_text: 'page 1',
      ...common,
      start_page_number: 1,
      end_page_number: 2,
    };
  }
  const text = (source?.data ?? ownSource.text).slice(0, citedCharacters);
  return {
    type: 'char_location',
    cited_text: text,
    ...common,
    start_char_index: 0,
    end_char_index: text.length,
  };
}

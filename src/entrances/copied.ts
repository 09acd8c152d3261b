import { type Html, html } from './page.ts';

const MOST_ROWS = 14;

/** A text that is selected as a whole; a script adds the button's work. */
export function copied(id: string, label: string, text: string): Html {
  return html`<label for="${id}">${label}</label>
    <textarea id="${id}" rows="${Math.min(text.split('\n').length, MOST_ROWS)}" readonly spellcheck="false" wrap="off">${text}</textarea>
    <button type="button" data-copies="${id}" hidden>Copiar</button> <span role="status"></span>`;
}

/** For a text that the page shows anyway. Hidden without script, where it is selected by hand. */
export function copyButton(id: string, text: string): Html {
  return html`<p><button type="button" class="quiet small" data-copies="${id}" hidden>${text}</button> <span role="status"></span></p>`;
}

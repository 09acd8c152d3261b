import type { Cell, Form } from '../columns.ts';
import { isLikeFormula } from '../formula.ts';
import { KEPT_FILLS, NORMAL_STYLE, stylesXml } from '../workbook-xml.ts';

/** Numbers of styles, in the order of `STYLES`. */
const STAYS_TEXT = 1;
const DIGITS = 2;
const STYLE_OF: Readonly<Record<Form, number>> = {
  amount: 3,
  count: 4,
  moment: 5,
  day: 6,
  head: 7,
  'number head': 8,
  wrapped: 9,
  text: 10,
};
const BESIDE_NUMBERS = 'horizontal="left" indent="1"';
const BOLD_ON_GREY = 'fontId="1" fillId="2" applyFont="1" applyFill="1"';
const FORMATS = [
  // As they are; formats 3, 4 and 49 are Excel's own: `#,##0`, `#,##0.00` and text.
  formatXml(0),
  formatXml(49, 'quotePrefix="1"', BESIDE_NUMBERS),
  formatXml(49, '', BESIDE_NUMBERS),
  formatXml(4),
  formatXml(3),
  formatXml(164, '', BESIDE_NUMBERS),
  formatXml(165, '', BESIDE_NUMBERS),
  formatXml(0, BOLD_ON_GREY, `${BESIDE_NUMBERS} vertical="center" wrapText="1"`),
  // The button of the filter is at the right.
  formatXml(0, BOLD_ON_GREY, 'horizontal="right" vertical="center" wrapText="1" indent="2"'),
  formatXml(0, '', `${BESIDE_NUMBERS} vertical="top" wrapText="1"`),
  formatXml(0, '', BESIDE_NUMBERS),
];
const FONT = '<sz val="11"/><name val="Calibri"/><family val="2"/>';
export const STYLES = stylesXml(
  '<numFmts count="2"><numFmt numFmtId="164" formatCode="dd/mm/yyyy\\ hh:mm"/><numFmt numFmtId="165" formatCode="dd/mm/yyyy"/></numFmts>' +
    `<fonts count="2"><font>${FONT}</font><font><b/>${FONT}</font></fonts>` +
    `<fills count="3">${KEPT_FILLS}<fill><patternFill patternType="solid"><fgColor rgb="FFE7ECEA"/></patternFill></fill></fills>` +
    '<borders count="1"><border/></borders><cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs>' +
    `<cellXfs count="${FORMATS.length}">${FORMATS.join('')}</cellXfs>${NORMAL_STYLE}`,
);
/** A text that Excel would take for a number or a time where its cell is edited. */
const LIKE_NUMBER = /^[\d\s.,:/e+-]+$/i;

/** @param own attributes beside those of the usual font and fill, or in their place */
function formatXml(number: number, own = '', alignment = ''): string {
  const usual = own.includes('fontId') ? '' : ' fontId="0" fillId="0"';
  const shown = number === 0 ? '' : ' applyNumberFormat="1"';
  const head = `<xf numFmtId="${number}"${usual} borderId="0" xfId="0"${shown}${own && ` ${own}`}`;
  return alignment ? `${head} applyAlignment="1"><alignment ${alignment}/></xf>` : `${head}/>`;
}

export function styleOf(cell: NonNullable<Cell>, text: string | null): number {
  if (text !== null && isLikeFormula(text)) return STAYS_TEXT;
  if (text !== null && LIKE_NUMBER.test(text)) return DIGITS;
  const form = cell.form ?? ('text' in cell ? 'text' : null);
  return form === null ? 0 : STYLE_OF[form];
}

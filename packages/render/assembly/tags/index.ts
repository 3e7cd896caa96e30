/**
 * Reads what was rendered: tells the tags of HTML to whoever checks it, writes it for printing, and looks for credentials in any
 * text. Nearly all of it is of no interest to either, and to pass over that takes a fraction of what it takes JavaScript.
 * `src/tag-program.ts` runs it.
 */
export { roomForHtml } from './source';
export { scan, tagsPlace } from './scan';
export { mayHoldSecrets } from './traces';
export { addressesPlace, addressCount, print, printedPlace, roomForIdStart } from './print';

/**
 * Reads the HTML that was rendered: tells its tags to whoever checks it, and writes it for printing. Nine of ten tags are of no
 * interest to either, and to pass over them takes a fraction of what it takes JavaScript. `src/tag-program.ts` runs it.
 */
export { roomForHtml } from './source';
export { scan, tagsPlace } from './scan';
export { addressesPlace, addressCount, print, printedPlace, roomForIdStart } from './print';

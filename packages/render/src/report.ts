/** Formats and filters of findings. Imports no part of the renderer that parses or renders pages. */
export { placesOf } from './check/aggregate.ts';
export { reportJunit } from './check/junit.ts';
export { reportHtml } from './check/report-html.ts';
export { reportMarkdown } from './check/report-markdown.ts';
export {
  countingFindings,
  isNewSince,
  narrowReport,
  reportJson,
  reportWith,
  unknownFindings,
} from './check/report.ts';
export { reportSarif } from './check/sarif.ts';
export { engineVersion } from './engine-version.ts';
export { diagnosticCodes } from './model/finding-codes.ts';

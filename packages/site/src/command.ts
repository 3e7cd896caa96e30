/** The commands of a site, for `docyard-site` and `docyard`. Importing them loads only their descriptions. */
export { type CommandNames, SiteCommandError } from './command/command-error.ts';
export { describeImport } from './command/import-command.ts';
export { describeSite } from './command/site-command.ts';
export { untilStopSignal } from './command/stop-signal.ts';
export { tableText } from './command/table.ts';
export { closestName } from './settings/closest-name.ts';

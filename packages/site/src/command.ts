/** The commands of a site, for `docyard-site` and `docyard`. Importing them loads only their descriptions. */
export { type CommandNames, SiteCommandError } from './command/command-error.ts';
export { describeImport } from './command/import-command.ts';
export { describeSite } from './command/site-command.ts';
export { explainListenError } from './network/listen-error.ts';
export { untilStopSignal } from './command/stop-signal.ts';
export { tableText } from './command/table.ts';
export { usageMessage } from './command/usage-message.ts';
export { closestName } from './settings/closest-name.ts';

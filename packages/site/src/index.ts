/** The public interface: start the server of a site, or install a bundle into its data folder. */
export { type RunningSite, startSite } from './start-site.ts';
export { ConfigError, DataFolderError } from './errors.ts';
export { install, type Arrival, type Installation, type Installed } from './releases/install.ts';
export type { ReleaseRecord } from './releases/release.ts';
export { ReleaseStore } from './releases/store.ts';
export { publicKeysOf } from './settings/keys.ts';
export { type GivenSettings, readSettings, type SiteSettings } from './settings/settings.ts';
export { SourceError, type SourceFailure } from './sources/source.ts';

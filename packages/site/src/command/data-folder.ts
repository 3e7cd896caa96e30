/** Where the commands of a deployment find its releases and analytics. */
import type { NamedSite } from '../settings/settings.ts';
import { explained, SiteCommandError } from './command-error.ts';

export interface FolderOptions {
  config?: string;
  data?: string;
  site?: string;
  json?: boolean;
}

/** With --data the settings are not read, so that a rollback works with broken settings. */
export async function dataFolderOf({ config: file, data, site }: FolderOptions): Promise<string> {
  const [{ readSettings }, { join, resolve }] = await Promise.all([
    import('../settings/settings.ts'),
    import('node:path'),
  ]);
  if (data !== undefined) return site === undefined ? resolve(data) : join(resolve(data), 'sites', site);
  try {
    const { dataDir, sites } = readSettings({ file, environment: process.env });
    if (sites !== null) return dataFolderOfSite(sites, site);
    if (site === undefined) return dataDir;
    throw new SiteCommandError('--site is for a settings file with a list of sites.', 'usage');
  } catch (error) {
    throw explained(error);
  }
}

function dataFolderOfSite(sites: readonly NamedSite[], wanted: string | undefined): string {
  const names = sites.map(({ name }) => name).join(', ');
  if (wanted === undefined)
    throw new SiteCommandError(`There are several sites. Pass --site with one of ${names}.`, 'usage');
  const site = sites.find(({ name }) => name === wanted);
  if (site === undefined)
    throw new SiteCommandError(`There is no site ${wanted}. Known: ${names}.`, 'not_found');
  return site.dataDir;
}

import type { Reader } from './gate.ts';
import type { SiteExchange } from './respond.ts';

/** Responds to requests for a path of a site at which there is no file. */
export interface SiteEndpoint {
  /** Below the base path of the site, such as `/_docyard/ask`. A file with this path is not served. */
  path: string;
  /** `exchange.site` contains what the reader may see. The reader is undefined for a public site. */
  serve(exchange: SiteExchange, reader: Reader | undefined): Promise<void>;
}

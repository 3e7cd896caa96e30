/** The static file server and the HTTP rules that every server of Docyard shares. */
export { acceptedEncodings } from './serving/accepted-encodings.ts';
export { byteRangeOf, type ByteRange } from './serving/byte-range.ts';
export { type Encoding } from './serving/compressed-files.ts';
export { contentTypeOf } from './serving/content-types.ts';
export { hasTwoHosts } from './serving/host-header.ts';
export { admitPipelined } from './serving/pipelining.ts';
export { hasDotSegments, readRequestPath } from './serving/request-path.ts';
export { isKnown } from './serving/respond.ts';
export { openSite, type ServedFile, type ServedSite } from './serving/served-site.ts';

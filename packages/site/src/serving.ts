/** The static file server and the HTTP rules that all servers of Docyard share. */
export { acceptedEncodings } from './serving/accepted-encodings.ts';
export { byteRangeOf, type ByteRange } from './serving/byte-range.ts';
export { type Encoding, precompress } from './serving/compressed-files.ts';
export { contentTypeOf } from './serving/content-types.ts';
export { hasTwoHosts } from './serving/host-header.ts';
export { admitPipelined } from './serving/pipelining.ts';
export { hasDotSegments, readRequestPath } from './serving/request-path.ts';
export { openSite, type ServedSite } from './serving/served-site.ts';
export { fileResponse } from './serving/file-response.ts';
export { sendFile } from './serving/send-file.ts';
export { cacheControl, type FileRequest, type StaticFile, staticFile } from './serving/static-file.ts';

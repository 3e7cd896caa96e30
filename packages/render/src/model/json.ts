/**
 * Careful reading of untrusted JSON: every accessor answers "this type or undefined" and never throws.
 * It knows nothing about what the values mean.
 */
export type JsonObject = { readonly [key: string]: unknown };

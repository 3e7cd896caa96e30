/** The media types that a client accepts, by its Accept header. */

/** In the order in which they are named, without those of weight zero. */
export function acceptedTypes(header: string | undefined): string[] {
  return (header ?? '').split(',').flatMap((part) => {
    const [type = '', ...parameters] = part.split(';').map((text) => text.trim().toLowerCase());
    return parameters.some((text) => /^q=0(?:\.0{0,3})?$/.test(text)) ? [] : type;
  });
}

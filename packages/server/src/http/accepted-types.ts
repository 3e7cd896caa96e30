/** The media types of an Accept header in their order, without those of weight zero. */
export function acceptedTypes(header: string | undefined): string[] {
  return (header ?? '').split(',').flatMap((part) => {
    const [type = '', ...parameters] = part.split(';').map((text) => text.trim().toLowerCase());
    return parameters.some((text) => /^q=0(?:\.0{0,3})?$/.test(text)) ? [] : type;
  });
}

/** The release that this is. All packages of the repository have the same; a spec holds it against theirs. */
export const VERSION = '0.1.0';

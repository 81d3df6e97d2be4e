export { FOLLOWED_POLL_MS_DEFAULT, FollowedFile, type FileChange, type FollowedFileOptions } from './followed-file.js';

/*
 * What came to ledger.db with its sixth version.
 *
 * files_by_content  leads from a content to its copies: whether one is still there, and since when the oldest is, are asked for each copy
 *                   that comes or goes, so both are found without a look at the others. A folder may hold thousands of equal files.
 */
export const sixth = `
DROP INDEX files_by_content;
CREATE INDEX files_by_content ON files (content, state, folder, there_ms) WHERE content IS NOT NULL;
`

export const REQUIREMENTS = {} as const;
export type RequirementId = keyof typeof REQUIREMENTS;

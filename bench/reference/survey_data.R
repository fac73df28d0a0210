# Writes the example data of R's package survey as tables: `Rscript survey_data.R FOLDER`. The data stay out of the
# repository, as the package is under the GPL; tests/stats/test_survey_examples.py asks for them where R is there.

library(survey)
data(api)
data(nhanes)
for (name in c("apistrat", "apiclus1", "apiclus2", "nhanes")) {
  write.csv(get(name), file.path(commandArgs(trailingOnly = TRUE)[1], paste0(name, ".csv")), row.names = FALSE, na = "")
}

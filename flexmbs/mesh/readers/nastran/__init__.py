"""Reader of Nastran bulk data (.bdf, .dat, .nas): MSC, NX and Simcenter, OptiStruct, MYSTRAN."""
